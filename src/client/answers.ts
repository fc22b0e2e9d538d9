import { abortError, onAbort, throwIfAborted } from '../base/abort.js';
import { copyPlain } from '../base/copy-plain.js';
import { UsageError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { ERROR, McpError, methodNotFound } from '../protocol/errors.js';
import type {
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  InputRequest,
  InputResponse,
} from '../protocol/input.js';
import { contentProblem, misfit, problemOf, withoutNeedlessContent } from './answer-check.js';
import type { AnswerOptions, QuestionContext } from './answer-options.js';
import { isFieldValue, shapeProblem } from './answer-shape.js';
import { compileUntrustedForm } from './forms.js';
import type { ClientMiddlewareStack } from './middleware.js';
import { askedProblem } from './question-check.js';

/** Answers all questions of a round at the same time. Rejects as soon as one handler fails or a signal aborts. */
export async function answerAll(
  options: AnswerOptions,
  questions: Readonly<Record<string, InputRequest>>,
  server: string,
  signals: readonly AbortSignal[],
  middleware: ClientMiddlewareStack,
): Promise<Record<string, InputResponse>> {
  for (const signal of signals) throwIfAborted(signal);
  const asking = new AbortController();
  const context = { server, signal: asking.signal };
  let ignore: (() => void)[] = [];
  // Handlers may ignore their signal, so an abort rejects without waiting for them.
  const aborted = new Promise<never>((_, reject) => {
    ignore = signals.map(signal =>
      onAbort(signal, () => {
        const error = abortError(signal);
        asking.abort(error);
        reject(error);
      }),
    );
  });
  try {
    const answers = Object.entries(questions).map(
      async ([name, question]): Promise<[string, InputResponse]> => [
        name,
        await answerQuestion(options, question, context, middleware),
      ],
    );
    return Object.fromEntries(await Promise.race([Promise.all(answers), aborted]));
  } catch (error) {
    // The remaining handlers can stop: their answers will not be sent.
    asking.abort(error);
    throw error;
  } finally {
    for (const end of ignore) end();
  }
}

/**
 * Answers one question. Throws `McpError` if the client has no handler for it or the question is malformed, `WrongAnswer`
 * if the answer cannot be sent.
 */
export async function answerQuestion(
  options: AnswerOptions,
  question: InputRequest,
  context: QuestionContext,
  middleware: ClientMiddlewareStack,
): Promise<InputResponse> {
  throwIfAborted(context.signal);
  const answer: unknown = await middleware.pass('question', { question }, asked =>
    answerOne(options, asked.question, context),
  );
  // The answers of handlers are checked where they are made.
  if (!middleware.layers.some(layer => layer.question)) return answer as InputResponse;
  const sent = checked<InputResponse>('middleware', question, answer);
  const problem = await contentProblem(question, sent);
  if (problem) throw new WrongAnswer(wrongAnswer('middleware', problem));
  return withoutNeedlessContent(question, sent);
}

async function answerOne(
  options: AnswerOptions,
  question: InputRequest,
  context: QuestionContext,
): Promise<InputResponse> {
  switch (question.method) {
    case 'elicitation/create':
      return question.params.mode === 'url'
        ? visitPage(options, question.params, context)
        : fillIn(options, question.params, context);
    case 'sampling/createMessage':
      if (!options.onSample) throw methodNotFound(question.method);
      checkAsked(question);
      return checked('onSample', question, await options.onSample(question.params, context));
    case 'roots/list': {
      const { roots } = options;
      if (!roots) throw methodNotFound(question.method);
      const all: unknown = typeof roots === 'function' ? await roots(context) : roots;
      return checked('roots', question, { roots: all });
    }
  }
}

/** The answer of a handler of the author cannot be sent. */
export class WrongAnswer extends UsageError {}

function checkAsked(question: InputRequest): void {
  const problem = askedProblem(question);
  if (problem) throw new McpError(ERROR.invalidParams, problem);
}

async function visitPage(
  { onElicitUrl }: AnswerOptions,
  page: ElicitUrlParams,
  context: QuestionContext,
): Promise<ElicitResult> {
  if (!onElicitUrl) throw new McpError(ERROR.invalidParams, 'this client does not show pages');
  const question = { method: 'elicitation/create' as const, params: page };
  checkAsked(question);
  const { action } = checked<ElicitResult>('onElicitUrl', question, await onElicitUrl(page, context));
  return { action };
}

async function fillIn(
  { onElicit }: AnswerOptions,
  form: ElicitFormParams,
  context: QuestionContext,
): Promise<ElicitResult> {
  if (!onElicit) throw new McpError(ERROR.invalidParams, 'this client does not show forms');
  const question = { method: 'elicitation/create' as const, params: form };
  checkAsked(question);
  const schema = await compileUntrustedForm(form.requestedSchema).catch(cause => {
    throw new McpError(ERROR.invalidParams, `the form cannot be shown: ${messageOf(cause)}`);
  });
  const { action, content } = checked<ElicitResult>('onElicit', question, await onElicit(form, context));
  if (action !== 'accept') return { action };
  const filled = { ...defaultsOf(form), ...content } as NonNullable<ElicitResult['content']>;
  const problem = problemOf(schema, filled);
  if (problem) throw new WrongAnswer(misfit(form, problem));
  return { action, content: filled };
}

/** The answer of a handler or of middleware as JSON will carry it, if it is one. */
function checked<T extends InputResponse>(
  source: keyof AnswerOptions | 'middleware',
  question: InputRequest,
  returned: unknown,
): T {
  const answer = copyPlain(returned);
  const problem = shapeProblem(question, answer);
  if (problem) throw new WrongAnswer(wrongAnswer(source, problem));
  return answer as T;
}

function wrongAnswer(source: keyof AnswerOptions | 'middleware', problem: string): string {
  return `the answer of ${source === 'middleware' ? source : `\`${source}\``} cannot be sent: ${problem}`;
}

/** The default values that a form declares for its fields. Null says that a field has none. */
function defaultsOf({ requestedSchema }: ElicitFormParams): object {
  if (!isObject(requestedSchema.properties)) return {};
  const fields = Object.entries(requestedSchema.properties).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined && isFieldValue(field.default)
      ? [[name, field.default]]
      : [],
  );
  return Object.fromEntries(fields);
}
