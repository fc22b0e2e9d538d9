import type { JsonObject, JsonSchema } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { AskOptions, Call, Result } from './call.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequiredResult,
  InputResponse,
  InputResponseTo,
  Root,
} from './input.js';
import type { NotificationSender } from './service.js';

/**
 * The functions that a server loads on demand, because most calls need none of them: they ask a client and read its
 * answers, suggest values, make results of prompts, and run middleware.
 */
export interface Asking {
  /** The schema is one of the author's library, and so is the type of the content. */
  elicit(call: Call, message: string, schema: object, options?: AskOptions): Promise<unknown>;
  elicitUrl(
    call: Call,
    message: string,
    url: string,
    options?: AskOptions & { elicitationId?: string },
  ): Promise<{ action: ElicitResult['action'] }>;
  sample(call: Call, params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  roots(call: Call, options?: AskOptions): Promise<Root[]>;
  askAsIs<R extends InputRequest>(
    call: Call,
    request: R,
    options?: AskOptions,
  ): Promise<InputResponseTo<R['method']>>;
  /** Why the content of an answer cannot be used, though it has the type of its question; undefined if it can. */
  contentProblem(request: InputRequest, answer: InputResponse): Awaitable<string | undefined>;
  /** The questions that a handler returned by hand; undefined if it returned something else. */
  readQuestions(call: Call, returned: JsonObject): InputRequiredResult | undefined;
  /** The answer to a question asked by hand, which is a form with a schema, or has a method. */
  readAnswer(call: Call, name: string, expected: object | InputRequest['method']): Promise<unknown>;
  /** The state that a handler returned by hand, checked by a schema. */
  readState(call: Call, schema: object): Promise<unknown>;
  /** Suggests values for an argument of a registered prompt or template, if the client may use that. */
  complete(registries: object, permissions: object, call: Call): Awaitable<Result>;
  /** The result of the value that the handler of a prompt returned. */
  toPromptResult(
    call: Call,
    returned: unknown,
    description: string | undefined,
    what: string,
  ): Awaitable<object>;
  /** A page of resources to which templates add their members. */
  pageWithMembers(source: object, call: Call): Promise<Result>;
  /** Runs a call through the middleware of a server, and checks the result that came out of it. */
  runMiddleware(
    stack: object,
    call: Call,
    handle: (call: Call) => Awaitable<Result>,
    outputSchemaOf: (tool: unknown) => JsonSchema | undefined,
  ): Promise<Result>;
  /** Asks a question through the middleware of a server. */
  runQuestion(
    layers: readonly object[],
    asked: NotificationSender & { question: InputRequest },
    ask: (question: InputRequest) => Promise<InputResponse>,
  ): Promise<InputResponse>;
}
