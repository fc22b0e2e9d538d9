import type { JsonObject } from '../base/json.js';
import type { ClientCapabilities, Implementation } from '../protocol/capabilities.js';
import type { LogLevel } from '../protocol/logging.js';
import type { AnswerOptions, HandlerContext } from './answers.js';
import type { CacheMode, CacheStore } from './cache.js';
import type { RequestOptions } from './link.js';
import type { Negotiated } from './negotiate.js';

/** A log message of a server. */
export interface LogMessage {
  level: LogLevel;
  logger?: string;
  data: unknown;
}

export interface ClientOptions extends AnswerOptions {
  /** What handlers are told the server is called. Without it, its URL, its command, or the name of a `Server`. */
  serverName?: string | undefined;
  /** Who the client says it is. */
  info?: Implementation | undefined;
  /** Declared beside what follows from the handlers: extensions, and details such as `sampling.tools`. */
  capabilities?: ClientCapabilities | undefined;
  /** Speaks only this revision, such as `2025-06-18`. Without it, the client finds out what the server speaks. */
  revision?: string | undefined;
  /** What an earlier connection found out (`client.negotiated`); corrected if it turns out to be wrong. */
  negotiated?: Negotiated | undefined;
  /** Milliseconds a request may take without answer or progress; 60,000 by default. */
  timeoutMs?: number | undefined;
  /** Milliseconds a request may take in any case; five minutes by default. */
  maxTimeoutMs?: number | undefined;
  /** Milliseconds to wait for the answer to the first question, after which the server is taken to be old. */
  probeTimeoutMs?: number | undefined;
  /** Gives up connecting. */
  signal?: AbortSignal | undefined;
  /** From which level on the server is asked to send log messages. */
  logLevel?: LogLevel | undefined;
  onLog?: ((message: LogMessage, context: HandlerContext) => void) | undefined;
  /** Any other notification. */
  onNotification?: ((method: string, params: JsonObject, context: HandlerContext) => void) | undefined;
  /** What the author should know, though nothing failed; the console if not set. */
  onWarning?: ((message: string, context: HandlerContext) => void) | undefined;
  /** The connection broke without being closed. */
  onClose?: ((reason: Error | undefined, context: HandlerContext) => void) | undefined;
  /** Where results are kept that servers allow to be used again; in this process by default, nowhere if false. */
  cache?: CacheStore | false | undefined;
  /** Whose authorization private results belong to, in a cache that is shared. */
  cachePartition?: string | undefined;
  /** Uses what was kept, however old, if the server cannot be reached. */
  staleIfError?: boolean | undefined;
}

export interface CallOptions extends RequestOptions {
  /** How this request uses the cache. */
  cacheMode?: CacheMode | undefined;
  /** `_meta` of the request. */
  meta?: JsonObject | undefined;
}
