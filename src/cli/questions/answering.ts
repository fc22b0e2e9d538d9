import type { AnswerOptions, QuestionContext } from 'tenon/client';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { CliError } from '../failure.js';
import { openPage } from '../open-page.js';
import type { ProgressLine } from '../terminal/progress-line.js';
import { misfitOf, nobodyToFillIn, nobodyToVisit, noFormToFillIn } from './answer-errors.js';
import { answerProblem } from './answer-problem.js';
import { canAsk } from './prompting.js';

/** An answer that the user gave beforehand, with `--answer`. */
export interface GivenAnswer {
  /** As the user wrote it. */
  readonly text: string;
  readonly answer: ElicitResult;
}

/**
 * Answers the questions of a server one after the other: with what was given beforehand, otherwise in the terminal. A
 * question that nobody can answer, or a given answer that does not fit it, fails the call, with the reason in `failure`.
 */
export class Answering {
  readonly #cli: Cli;
  readonly #line: ProgressLine;
  readonly #given: GivenAnswer[];
  readonly #failure = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(cli: Cli, given: readonly GivenAnswer[], line: ProgressLine) {
    this.#cli = cli;
    this.#given = [...given];
    this.#line = line;
  }

  /** Aborts with the reason why a question could not be answered. */
  get failure(): AbortSignal {
    return this.#failure.signal;
  }

  /** How many of the given answers no question has asked for. */
  get unused(): number {
    return this.#given.length;
  }

  /** The handlers for `connect`. */
  get handlers(): AnswerOptions {
    return {
      onElicit: (form, context) =>
        this.#inTurn(context, {
          take: given => checkContents(given, form),
          ask: () => this.#fillIn(form, context),
          refuse: () => nobodyToFillIn(form),
        }),
      onElicitUrl: (page, context) =>
        this.#inTurn(context, {
          take: given => checkVisit(given, page),
          ask: () => this.#visit(page, context),
          refuse: () => nobodyToVisit(page),
        }),
    };
  }

  /** A server may ask several questions at once, but there is one terminal. */
  #inTurn({ signal }: QuestionContext, { take, ask, refuse }: Ways): Promise<ElicitResult> {
    const turn = this.#last.then(async () => {
      signal.throwIfAborted();
      const given = this.#given.shift();
      if (given) return this.#orFail(() => take(given));
      if (!canAsk()) return this.#orFail(refuse);
      this.#line.hide();
      const answer = await ask();
      this.#cli.output.note('');
      this.#line.show();
      return answer;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #fillIn(form: ElicitFormParams, { server, signal }: QuestionContext): Promise<ElicitResult> {
    const { askForm } = await import('./ask-form.js');
    return askForm(form, server, this.#cli, signal);
  }

  async #visit(page: ElicitUrlParams, { server, signal }: QuestionContext): Promise<ElicitResult> {
    const { askPage } = await import('./ask-page.js');
    return askPage(page, server, this.#cli, signal, openPage);
  }

  #orFail(take: () => ElicitResult | CliError): ElicitResult {
    const answer = take();
    if (!(answer instanceof CliError)) return answer;
    this.#failure.abort(answer);
    throw answer;
  }
}

/** The ways to get an answer to one question. */
interface Ways {
  /** The answer that was given beforehand, or why it does not fit. */
  readonly take: (given: GivenAnswer) => ElicitResult | CliError;
  readonly ask: () => Promise<ElicitResult>;
  /** The error if nobody is there to ask. */
  readonly refuse: () => CliError;
}

function checkContents({ text, answer }: GivenAnswer, form: ElicitFormParams): ElicitResult | CliError {
  if (answer.action !== 'accept') return answer;
  const contents = answer.content ?? {};
  const problem = answerProblem(contents, form.requestedSchema);
  return problem === undefined ? { ...answer, content: contents } : misfitOf(text, contents, form, problem);
}

function checkVisit({ text, answer }: GivenAnswer, page: ElicitUrlParams): ElicitResult | CliError {
  return answer.content === undefined ? answer : noFormToFillIn(text, page);
}
