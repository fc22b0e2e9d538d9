import type { JsonObject } from '../base/json.js';
import type { OnDemand } from '../base/on-demand.js';
import type { Awaitable } from '../base/settle.js';
import type { Asking } from './asking.js';
import type { Caller } from './caller.js';
import type { ClientCapabilities, Implementation } from './capabilities.js';
import type { McpError } from './errors.js';
import type { InputRequest, InputResponse, InputResponseTo } from './input.js';
import type { Logger } from './logger.js';
import type { LogLevel } from './logging.js';
import type { TaskControl } from './task.js';

/**
 * One request as the server core sees it: the narrow interface between revisions and transports on one side and the
 * core on the other. The code that creates a call handles revision, transport and session, so that the core need not.
 */
export interface Call {
  readonly method: string;
  readonly params: JsonObject;
  /** The request's `_meta`; empty if it had none. */
  readonly meta: JsonObject;
  /** The client's revision, for display and for the author's decisions. */
  readonly revision: string;
  readonly client: ClientDescription;
  readonly caller: Caller | undefined;
  /** Only where the revision has sessions. */
  readonly session: Session | undefined;
  /** Whether the server keeps no state between this request and the client's next one. */
  readonly isStateless: boolean;
  /** Aborts when the client cancels or goes away, or the server closes. */
  readonly signal: AbortSignal;
  /** The least severe level that the client wants; undefined if it wants no logs. */
  readonly logLevel: LogLevel | undefined;
  /** Sends the client a notification that belongs to this request. */
  notify(method: string, params: JsonObject): void;
  /** The error for a question that this client must not be asked; undefined if it may be. */
  objectionTo(request: InputRequest): McpError | undefined;
  /** The functions that are loaded on demand, such as those that ask the client. */
  readonly asking: OnDemand<Asking>;
  /** Asks the client, which must have declared the capability. */
  ask(request: InputRequest, options?: AskOptions): Promise<InputResponse>;
  /** Answers to the questions that a handler returned itself, by their names. */
  readonly inputResponses: ReadonlyMap<string, InputResponse> | undefined;
  /** The state that such a handler returned in the round before. */
  readonly requestState: string | undefined;
  /** Runs some work once per request, however often the handler runs. */
  step<T>(name: string, run: () => Awaitable<T>): Promise<T>;
  /** Lets this request pass only once, over all its rounds. Throws `-32602` if it has passed before. */
  once(): Promise<void>;
  /** Uses up the state that the request continues from, so that it cannot be used again. */
  redeem(): Promise<void>;
  /** Resolves when the client has responded; at once where the revision has no ping. */
  ping(options?: AskOptions): Promise<void>;
  /** Ends the response stream early; the client reconnects for the rest. Does nothing where that is not possible. */
  closeStream(): void;
  /** Tells the operator about something in the handler that works, but should not be so. */
  warn(message: string, where: string): void;
  /** The task that the call runs in, or could become; undefined without the tasks extension. */
  readonly task?: TaskControl | undefined;
  /** Runs instead of the handler of a tool, once the caller and the arguments were checked. */
  readonly instead?: (() => Awaitable<object>) | undefined;
}

/** The client's description of itself. */
export interface ClientDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/**
 * A session: the requests that belong to one handshake, and the way to the client outside of them: the stream that it
 * opened by GET, or its connection. Revisions without a handshake have no such way.
 *
 * @example
 * server.notification('notifications/roots/list_changed', async (_, { session }) => {
 *   const { roots } = (await session?.ask({ method: 'roots/list' })) ?? { roots: [] };
 *   session?.log.info({ roots: roots.length });
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export interface Session {
  readonly id: string | undefined;
  /**
   * The author's own values. They live in this process and are dropped when the session has been idle for long. In a
   * cluster, those that JSON can carry are read before each request and written after it, each by its name.
   */
  readonly values: Map<string, unknown>;
  /** Log messages that belong to no request. They are dropped while the client has no stream for them. */
  readonly log: Logger;
  /** Asks the client outside of a request. Rejects if the client has no stream for that, or lacks the capability. */
  ask<const R extends InputRequest>(request: R, options?: AskOptions): Promise<InputResponseTo<R['method']>>;
  /**
   * Sends a request of an extension to the client, outside of the client's own requests. Rejects if the client did not
   * declare the extension, or has no stream for that.
   */
  request(method: string, params?: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** Checks outside of a request that the client is still connected. */
  ping(options?: AskOptions): Promise<void>;
}

/** How long to wait for the answer to a question, and where its progress goes. */
export interface AskOptions {
  /** Milliseconds to wait for the answer. */
  timeoutMs?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** How far a request has come. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** The result of a request: a JSON object in the vocabulary of the newest revision. */
export type Result = object;

/** The parameters that name the targets of methods. */
const TARGETS: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['resources/subscribe', 'uri'],
  ['resources/unsubscribe', 'uri'],
  // Of the tasks extension, which wants them in a header, too.
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The name or URI that a request is about, if its method has one. */
export function targetOf(method: string, params: JsonObject): string | undefined {
  const name = TARGETS.get(method);
  const target = name && params[name];
  return typeof target === 'string' ? target : undefined;
}

/** Whether the requests of a method have a target. */
export function hasTarget(method: string): boolean {
  return TARGETS.has(method);
}
