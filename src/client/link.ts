import type { JsonObject } from '../base/json.js';
import type { Progress } from '../protocol/call.js';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/capabilities.js';
import type { Change, SubscriptionFilter } from '../protocol/changes.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Headers } from './wire.js';

/** What a server says of itself. */
export interface ServerDescription {
  info: Implementation | undefined;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
}

/** How long to wait for an answer, and what to hear meanwhile. */
export interface RequestOptions {
  /** Milliseconds without an answer or progress after which the request fails. */
  timeoutMs?: number | undefined;
  /** Milliseconds after which it fails in any case. */
  maxTimeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Headers of this request, where the transport has some. */
  headers?: Headers | undefined;
}

/** A negotiated connection to one server. It speaks one era; whoever holds it does not know which. */
export interface Link {
  /** The dated revision that is spoken. */
  readonly revision: string;
  readonly server: ServerDescription;
  /** Whether requests carry headers that mirror their parameters. */
  readonly mirrorsParameters: boolean;
  /** Resolves with the result, whatever its kind. Rejects with `McpError` if the server says so. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Whether a result is one that servers of this era give. */
  isExpected(result: JsonObject): boolean;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Says from which level on the server is to send logs. */
  setLogLevel(level: LogLevel, options: RequestOptions): Promise<void>;
  ping(options: RequestOptions): Promise<void>;
  /** Tells `onChange` of changes until the signal aborts; resolves when the server ends it, rejects if it breaks. */
  listen(
    filter: SubscriptionFilter,
    onChange: (change: Change) => void,
    onReady: () => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Tells the server that the list of roots changed, where it can be told. */
  rootsChanged(): Promise<void>;
  close(): Promise<void>;
}

/** What a link needs to know of the client that holds it. */
export interface LinkHost {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  /** Whether anybody wants to know what the server says or asks by itself. */
  readonly isListening: boolean;
  /** Answers a question of the server. Throws `McpError` for what it does not answer. */
  answer(question: InputRequest, signal: AbortSignal): Promise<InputResponse>;
  /** A notification other than progress. */
  notified(method: string, params: JsonObject): void;
  changed(change: Change): void;
  /** Something that the author should know, though nothing failed. */
  warn(message: string): void;
  /** The connection broke for good, without being closed. */
  lost(link: Link | undefined, reason: Error | undefined): void;
}
