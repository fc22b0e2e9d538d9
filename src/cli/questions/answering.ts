import type { AnswerOptions, QuestionContext } from 'tenon/client';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { CliError } from '../failure.js';
import { openPage } from '../open-page.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import type { ProgressLine } from '../terminal/progress-line.js';
import { canAsk } from './prompting.js';

/** The answers that the user gave beforehand, with `--answer`. */
export type GivenAnswers = readonly ElicitResult[];

/**
 * Answers the questions of a server one after the other: with what was given beforehand, otherwise in the terminal. A
 * question that nobody can answer fails the call, with the reason in `failure`.
 */
export class Answering {
  readonly #cli: Cli;
  readonly #line: ProgressLine;
  readonly #given: ElicitResult[];
  readonly #failure = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(cli: Cli, given: GivenAnswers, line: ProgressLine) {
    this.#cli = cli;
    this.#given = [...given];
    this.#line = line;
  }

  /** Aborts with the reason why a question could not be answered. */
  get failure(): AbortSignal {
    return this.#failure.signal;
  }

  /** The handlers for `connect`. */
  get handlers(): AnswerOptions {
    return {
      onElicit: (form, context) => this.#inTurn(form.message, context, () => this.#fillIn(form, context)),
      onElicitUrl: (page, context) => this.#inTurn(page.message, context, () => this.#visit(page, context)),
    };
  }

  /** A server may ask several questions at once, but there is one terminal. */
  #inTurn(
    message: string,
    { signal }: QuestionContext,
    ask: () => Promise<ElicitResult>,
  ): Promise<ElicitResult> {
    const turn = this.#last.then(async () => {
      signal.throwIfAborted();
      const given = this.#given.shift();
      if (given) return given;
      if (!canAsk()) throw this.#fail(nobodyToAsk(message));
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

  #fail(error: CliError): CliError {
    this.#failure.abort(error);
    return error;
  }
}

function nobodyToAsk(message: string): CliError {
  const text = plainLine(plainText(message)).slice(0, 300);
  return new CliError(`the server asks “${text}”, and there is no terminal to ask on`, {
    next: 'Give the answer with --answer \'{"name": "value"}\', or --answer decline; once for each question.',
    kind: 'question',
  });
}
