import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { Caller } from './caller.js';
import type { ClientCapabilities, Implementation } from './capabilities.js';
import type { InputRequest, InputResponse } from './input.js';
import type { LogLevel } from './logging.js';

/**
 * The waist of Tenon: one request as the server core sees it. Which revision it came in, over which
 * transport, and whether there is a session are the business of whoever made the call.
 */
export interface Call {
  readonly method: string;
  readonly params: JsonObject;
  /** The request's `_meta`; empty if it had none. */
  readonly meta: JsonObject;
  /** The dated revision that the client speaks, for display and decisions of the author. */
  readonly revision: string;
  readonly client: ClientDescription;
  readonly caller: Caller | undefined;
  /** Only where the revision has sessions. */
  readonly session: Session | undefined;
  /** Whether the request stands alone: nothing is kept between it and the next one of this client. */
  readonly isStateless: boolean;
  /** Aborts when the client cancels or goes away, or the server closes. */
  readonly signal: AbortSignal;
  /** The least severe level that the client wants to read; undefined if it wants no logs. */
  readonly logLevel: LogLevel | undefined;
  /** Tells the client something that belongs to this request. */
  notify(method: string, params: JsonObject): void;
  /** Asks the client, who declared the capability. */
  ask(request: InputRequest, options?: AskOptions): Promise<InputResponse>;
  /** Answers to what a handler asked by hand, by the names of the questions. */
  readonly inputResponses: ReadonlyMap<string, InputResponse> | undefined;
  /** What a handler that asks by hand kept from the round before. */
  readonly requestState: string | undefined;
  /** Runs some work once per request, however often the handler is run. */
  step<T>(name: string, run: () => Awaitable<T>): Promise<T>;
  /** Makes sure that this request passes only once here, in whatever rounds. Throws `-32602` if it has. */
  once(): Promise<void>;
  /** Spends the state that the request goes on from, so that it cannot go on from it again. */
  redeem(): Promise<void>;
  /** Resolves when the client has shown that it is there; at once where the revision has no ping. */
  ping(options?: AskOptions): Promise<void>;
  /** Ends the response stream early; the client comes back for the rest. A no-op where that is unknown. */
  closeStream(): void;
}

/** The other side, as it described itself. */
export interface ClientDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** A handshake that several requests belong to. */
export interface Session {
  readonly id: string | undefined;
  /** The author's own values. They live in this process and are dropped when the session is long idle. */
  readonly values: Map<string, unknown>;
}

export interface AskOptions {
  /** Milliseconds to wait for the answer. */
  timeoutMs?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** What a request ends with: a JSON object in the vocabulary of the newest revision. */
export type Result = object;

/** The name or URI that a request is about, if its method has one. */
export function targetOf(method: string, params: JsonObject): string | undefined {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return typeof params.name === 'string' ? params.name : undefined;
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return typeof params.uri === 'string' ? params.uri : undefined;
    default:
      return undefined;
  }
}
