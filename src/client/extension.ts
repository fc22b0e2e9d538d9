import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { HandlerContext, QuestionContext } from './answer-options.js';
import type { CallOptions } from './call-options.js';
import type { ChangeFilter, ChangeOptions, ServerChange } from './changes.js';
import type { RequestOptions, ServerDescription } from './link.js';
import type { ClientMiddleware } from './middleware.js';

/**
 * An extension of the protocol, for a client: given to `connect(url, { extensions: [search] })`. One that only declares
 * itself has an id and settings; `notification`, `answer` and `resultType` of `tenon/extensions/client` make the others.
 *
 * @example
 * const client = await connect(url, { extensions: [{ id: 'com.example/search', settings: {} }] });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
 */
export interface ClientExtension {
  /** Its id, with a prefix: `com.example/search`. */
  readonly id: string;
  /** Told to servers; an empty object by default. */
  readonly settings?: JsonObject | undefined;
  /** The ids of other extensions that the client must have as well. */
  readonly requires?: readonly string[] | undefined;
  /** The requests that the client sends. They are refused here if the server did not declare the extension. */
  readonly requests?: readonly string[] | undefined;
  /** The notifications that the client sends, in the same way. */
  readonly sends?: readonly string[] | undefined;
  /** The notifications of the server that it takes. */
  readonly notifications?: Readonly<Record<string, OwnNotification>> | undefined;
  /** The requests of the server that it answers, on revisions where servers send requests. */
  readonly methods?: Readonly<Record<string, OwnMethod>> | undefined;
  /** The types of results that it brings. */
  readonly resultTypes?: Readonly<Record<string, OwnResultType>> | undefined;
  /** What `client.changes({ notices })` can listen to: the notification of each member of the filter. */
  readonly notices?: Readonly<Record<string, string>> | undefined;
  /**
   * Run around the calls of the client, by method, such as `tools/call`: around all rounds of a call, where middleware runs
   * around each message. Those of the first extension are the outermost.
   */
  readonly calls?: Readonly<Record<string, OwnCall>> | undefined;
  /** Runs around every message of the client. */
  readonly middleware?: readonly ClientMiddleware[] | undefined;
}

/** Checks a value. Returns the problem, or the checked value. */
export type ValueCheck = (value: unknown) => Awaitable<{ value: unknown } | { problem: string }>;

/** A notification that an extension takes. Made by `notification`. */
export interface OwnNotification {
  readonly check: ValueCheck;
  readonly handler: (params: never, context: HandlerContext) => Awaitable<void>;
}

/** A request that an extension answers. Made by `answer`. */
export interface OwnMethod {
  readonly check: ValueCheck;
  readonly handler: (params: never, context: QuestionContext) => Awaitable<object>;
}

/** A type of results. Made by `resultType`. */
export interface OwnResultType {
  readonly check: ValueCheck;
  /** Makes the final result; without it the result is passed on as it is. */
  readonly handler?: ((result: never, context: ResultContext) => Awaitable<JsonObject>) | undefined;
}

/** Passed to the handler of a result, together with the result. */
export interface ResultContext extends HandlerContext {
  /** The request that it is the result of. */
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the user of the client cancels the call. */
  readonly signal: AbortSignal | undefined;
  /**
   * Sends another request, within the time that is left for the call if it has no `maxTimeoutMs` of its own. It is cancelled
   * with the call, unless its options have a `signal` of their own, or `signal: undefined`.
   */
  request(method: string, params?: object, options?: RequestOptions): Promise<JsonObject>;
}

/** Runs around a call. `next` carries it out, with other parameters or options if some are given. */
export type OwnCall = (
  call: CallContext,
  next: (changes?: { params?: JsonObject; options?: CallOptions }) => Promise<JsonObject>,
) => Promise<JsonObject>;

/** A call of the client, and what may be done meanwhile. */
export interface CallContext extends ResultContext {
  /** The options that the client's user gave. */
  readonly options: CallOptions;
  /** Aborts when the client is closed. It is the same for all calls of a client. */
  readonly closing: AbortSignal;
  /** The server's description of itself. */
  readonly description: ServerDescription;
  /** Answers questions of the server with the handlers of the client, until the signal aborts. */
  answer(
    questions: Readonly<Record<string, InputRequest>>,
    signal?: AbortSignal,
  ): Promise<Record<string, InputResponse>>;
  /** As `client.changes`. */
  changes(filter: ChangeFilter, options?: ChangeOptions): AsyncIterable<ServerChange>;
  /** Reports a problem that the client's user should know of, though the call did not fail. */
  warn(message: string): void;
}
