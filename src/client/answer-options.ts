import { copyPlain } from '../base/copy-plain.js';
import type { Awaitable } from '../base/settle.js';
import { type ClientCapabilities, mergeCapabilities } from '../protocol/capabilities.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  Root,
} from '../protocol/input.js';

/** Names the server that a handler is called for. */
export interface HandlerContext {
  /** The name of the server in its group. Outside a group: `serverName`, or its URL, command or name. */
  readonly server: string;
}

/** Passed to a handler together with a question of the server. */
export interface QuestionContext extends HandlerContext {
  /** Aborts when the server no longer waits for this answer. */
  readonly signal: AbortSignal;
}

/** The user's response to a form. Fields that are undefined are left out. */
type FormResult = Omit<ElicitResult, 'content'> & {
  content?: Record<string, string | number | boolean | string[] | undefined> | undefined;
};

/** Handlers for the questions of servers, of every revision. A capability without a handler is not declared. */
export interface AnswerOptions {
  /** Shows a form to the user. Defaults are filled in, and the user's entries are checked before they are sent. */
  onElicit?: ((form: ElicitFormParams, context: QuestionContext) => Awaitable<FormResult>) | undefined;
  /** Asks the user whether to visit a page. The client itself never opens or fetches it. */
  onElicitUrl?: ((page: ElicitUrlParams, context: QuestionContext) => Awaitable<ElicitResult>) | undefined;
  /** Asks a model. */
  onSample?:
    | ((params: CreateMessageParams, context: QuestionContext) => Awaitable<CreateMessageResult>)
    | undefined;
  /** The folders that the client works in: `file:` URIs. */
  roots?: readonly Root[] | ((context: QuestionContext) => Awaitable<readonly Root[]>) | undefined;
}

/** The capabilities to declare for the handlers that are set. */
export function answerCapabilities(options: AnswerOptions): ClientCapabilities {
  const { onElicit, onElicitUrl, onSample, roots } = options;
  const elicitation = { ...(onElicit && { form: {} }), ...(onElicitUrl && { url: {} }) };
  return {
    ...((onElicit || onElicitUrl) && { elicitation }),
    ...(onSample && { sampling: {} }),
    ...(roots && { roots: { listChanged: true } }),
  };
}

/** Adds the capabilities that the author declares to those derived from the handlers. */
export function withDeclared(
  derived: ClientCapabilities,
  declared: ClientCapabilities = {},
): ClientCapabilities {
  // Members that are undefined are not declared.
  return mergeCapabilities(derived, copyPlain(declared));
}
