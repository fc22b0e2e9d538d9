import { UsageError } from '../base/errors.js';
import type { AnswerOptions } from '../client/index.js';
import { ERROR, McpError } from '../protocol/errors.js';
import type { CreateMessageResult, ElicitResult } from '../protocol/input.js';
import type { Recorder } from './heard.js';

type Refusal = 'decline' | 'cancel';
type FormAnswer = NonNullable<ElicitResult['content']> | Refusal;
type PageAnswer = 'accept' | Refusal;
type SampleAnswer = string | CreateMessageResult;

/**
 * Fixed answers of a test client. A list answers one question after another.
 *
 * @example
 * const answers: TestAnswers = { elicit: [{ guests: 2 }, 'decline'], sample: 'A fine soup.' };
 * const client = await connectTest(server, { answers });
 */
export interface TestAnswers {
  /** The user's entries in a form, or the user's refusal. */
  elicit?: FormAnswer | readonly FormAnswer[] | undefined;
  /** Whether the user visits a page. */
  elicitUrl?: PageAnswer | readonly PageAnswer[] | undefined;
  /** The model's response. */
  sample?: SampleAnswer | readonly SampleAnswer[] | undefined;
}

/** Handlers that answer from `answers` or with the test's own handlers, and record the questions. */
export function answering(own: AnswerOptions, answers: TestAnswers = {}, heard: Recorder): AnswerOptions {
  refuseBoth(own, answers);
  const {
    onElicit = inTurn('elicit', answers.elicit, toElicitResult),
    onElicitUrl = inTurn('elicitUrl', answers.elicitUrl, (action: PageAnswer) => ({ action })),
    onSample = inTurn('sample', answers.sample, toSample),
    roots,
  } = own;
  return {
    ...(onElicit && {
      onElicit: (form, context) => {
        heard.note('questions', { method: 'elicitation/create', params: form });
        return onElicit(form, context);
      },
    }),
    ...(onElicitUrl && {
      onElicitUrl: (page, context) => {
        heard.note('questions', { method: 'elicitation/create', params: page });
        return onElicitUrl(page, context);
      },
    }),
    ...(onSample && {
      onSample: (params, context) => {
        heard.note('questions', { method: 'sampling/createMessage', params });
        return onSample(params, context);
      },
    }),
    ...(roots && {
      roots: (...args) => {
        heard.note('questions', { method: 'roots/list' });
        return typeof roots === 'function' ? roots(...args) : roots;
      },
    }),
  };
}

const HANDLERS = { elicit: 'onElicit', elicitUrl: 'onElicitUrl', sample: 'onSample' } as const;

function refuseBoth(own: AnswerOptions, answers: TestAnswers): void {
  for (const name of Object.keys(answers) as (keyof TestAnswers)[]) {
    const handler = HANDLERS[name];
    if (!handler) {
      const known = Object.keys(HANDLERS).join(', ');
      throw new UsageError(`answers has no ${name}; it has ${known}, and roots are an option of their own`);
    }
    if (answers[name] !== undefined && own[handler])
      throw new UsageError(`use either answers.${name} or ${handler}, not both`);
  }
}

/** A handler that always gives the same answer, or the answers of a list in order. */
function inTurn<T, R>(
  name: string,
  answers: T | readonly T[] | undefined,
  toResult: (answer: T) => R,
): (() => R) | undefined {
  if (answers === undefined) return undefined;
  if (!isList(answers)) return () => toResult(answers);
  let given = 0;
  return () => {
    if (given < answers.length) return toResult(answers[given++] as T);
    const text = `the server asks for one more answer than the ${answers.length} in answers.${name} of the test`;
    throw new McpError(ERROR.internal, text);
  };
}

function isList<T>(answers: T | readonly T[]): answers is readonly T[] {
  return Array.isArray(answers);
}

function toElicitResult(answer: FormAnswer): ElicitResult {
  if (answer === 'decline' || answer === 'cancel') return { action: answer };
  return { action: 'accept', content: answer };
}

function toSample(answer: SampleAnswer): CreateMessageResult {
  if (typeof answer !== 'string') return answer;
  return { role: 'assistant', content: { type: 'text', text: answer }, model: 'test', stopReason: 'endTurn' };
}
