import { abortError, onAbort, throwIfAborted } from '../base/abort.js';
import { isObject, type JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { messageOf } from '../base/thrown.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import { ERROR, McpError, methodNotFound } from '../protocol/errors.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  InputRequest,
  InputResponse,
  Root,
} from '../protocol/input.js';
import { compileUntrustedForm } from './forms.js';
import type { UntrustedSchema } from './untrusted-schema.js';

/** Which server a handler is called for. */
export interface HandlerContext {
  /** In a group, the name that the server has there. Otherwise `serverName`, or what the server was connected by. */
  readonly server: string;
}

/** What goes with a question. */
export interface QuestionContext extends HandlerContext {
  /** Aborts when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** How a client answers what servers ask, whatever revision they speak. What is not set is not declared. */
export interface AnswerOptions {
  /** Shows a form to the user. Defaults are filled in, and what was entered is checked before it is sent. */
  onElicit?: ((form: ElicitFormParams, context: QuestionContext) => Awaitable<ElicitResult>) | undefined;
  /** Asks the user whether to visit a page. Nothing is opened or fetched by itself. */
  onElicitUrl?: ((page: ElicitUrlParams, context: QuestionContext) => Awaitable<ElicitResult>) | undefined;
  /** Asks a model. */
  onSample?:
    | ((params: CreateMessageParams, context: QuestionContext) => Awaitable<CreateMessageResult>)
    | undefined;
  /** The folders that the client works in. */
  roots?: readonly Root[] | ((context: QuestionContext) => Awaitable<readonly Root[]>) | undefined;
}

/** The capabilities that follow from what a client answers. */
export function answerCapabilities(options: AnswerOptions): ClientCapabilities {
  const { onElicit, onElicitUrl, onSample, roots } = options;
  const elicitation = { ...(onElicit && { form: {} }), ...(onElicitUrl && { url: {} }) };
  return {
    ...((onElicit || onElicitUrl) && { elicitation }),
    ...(onSample && { sampling: {} }),
    ...(roots && { roots: { listChanged: true } }),
  };
}

/** What the author declares beside the capabilities that follow from the handlers. */
export function mergeCapabilities(
  derived: ClientCapabilities,
  declared: ClientCapabilities = {},
): ClientCapabilities {
  const merged: JsonObject = { ...derived };
  for (const [name, details] of Object.entries(declared)) {
    merged[name] = { ...(merged[name] as object | undefined), ...(details as object) };
  }
  return merged;
}

/** Answers the questions of a round, all at the same time, until one has no answer or a signal aborts. */
export async function answerAll(
  options: AnswerOptions,
  questions: Readonly<Record<string, InputRequest>>,
  server: string,
  signals: readonly AbortSignal[],
): Promise<Record<string, InputResponse>> {
  for (const signal of signals) throwIfAborted(signal);
  const asking = new AbortController();
  const context = { server, signal: asking.signal };
  let ignore: (() => void)[] = [];
  // Those who are asked may be slow to hear that nobody waits for them.
  const gone = new Promise<never>((_, reject) => {
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
        await answerQuestion(options, question, context),
      ],
    );
    return Object.fromEntries(await Promise.race([Promise.all(answers), gone]));
  } catch (error) {
    // The others are no longer needed.
    asking.abort(error);
    throw error;
  } finally {
    for (const end of ignore) end();
  }
}

/** Answers one question. Throws `McpError` for one that nobody answers. */
export async function answerQuestion(
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
      return options.onSample(question.params, context);
    case 'roots/list':
      if (!options.roots) throw methodNotFound(question.method);
      return {
        roots: [...(typeof options.roots === 'function' ? await options.roots(context) : options.roots)],
      };
  }
}

async function visitPage(
  { onElicitUrl }: AnswerOptions,
  page: ElicitUrlParams,
  context: QuestionContext,
): Promise<ElicitResult> {
  if (!onElicitUrl) throw new McpError(ERROR.invalidParams, 'this client does not show pages');
  if (!URL.canParse(page.url)) throw new McpError(ERROR.invalidParams, 'the page has no valid URL');
  const { action } = await onElicitUrl(page, context);
  return { action };
}

async function fillIn(
  { onElicit }: AnswerOptions,
  form: ElicitFormParams,
  context: QuestionContext,
): Promise<ElicitResult> {
  if (!onElicit) throw new McpError(ERROR.invalidParams, 'this client does not show forms');
  const schema = await compileUntrustedForm(form.requestedSchema).catch(cause => {
    throw new McpError(ERROR.invalidParams, `the form cannot be shown: ${messageOf(cause)}`);
  });
  const { action, content } = await onElicit(form, context);
  if (action !== 'accept') return { action };
  const filled = { ...defaultsOf(form), ...content } as NonNullable<ElicitResult['content']>;
  const problem = problemOf(schema, filled);
  if (problem) {
    throw new McpError(ERROR.internal, `the answer to "${form.message}" does not fit its form: ${problem}`);
  }
  return { action, content: filled };
}

function problemOf(schema: UntrustedSchema, value: unknown): string | undefined {
  try {
    return schema.check(value)?.problem;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** What a form says its fields are if nobody enters anything. */
function defaultsOf({ requestedSchema }: ElicitFormParams): object {
  if (!isObject(requestedSchema.properties)) return {};
  const fields = Object.entries(requestedSchema.properties).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined ? [[name, field.default]] : [],
  );
  return Object.fromEntries(fields);
}
