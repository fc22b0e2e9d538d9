import type { JsonObject } from '../base/json.js';
import type { OptionNames } from '../base/options.js';
import type { ClientCapabilities, Implementation } from '../protocol/capabilities.js';
import type { LogLevel } from '../protocol/logging.js';
import type { AnswerOptions, HandlerContext } from './answer-options.js';
import type { CacheStore } from './cache.js';
import type { ClientExtension } from './extension.js';
import type { ClientMiddleware } from './middleware.js';
import type { Negotiated } from './negotiate.js';
import type { ConnectStatus } from './status.js';
import type { Traffic } from './traffic.js';

/** A log message of a server. */
export interface LogMessage {
  level: LogLevel;
  logger?: string;
  data: unknown;
}

/** Options of a client that hold for every transport. */
export interface ClientOptions extends AnswerOptions {
  /** The server's name for handlers. Default: its URL, its command, or the name of the `Server`. */
  serverName?: string | undefined;
  /** The name and version that the client declares. */
  info?: Implementation | undefined;
  /** Whether requests of 2026-07-28 carry `info`; true by default. A handshake cannot do without it. */
  sendInfo?: boolean | undefined;
  /** Declared in addition to those that follow from the handlers: extensions, and details such as `sampling.tools`. */
  capabilities?: ClientCapabilities | undefined;
  /** Extensions of the protocol. Their parts are used only with servers that declared the same extension. */
  extensions?: readonly ClientExtension[] | undefined;
  /** Middleware that also sees the messages of `connect` itself; `client.use` adds more. */
  middleware?: readonly ClientMiddleware[] | undefined;
  /**
   * Types of results that the extensions in `capabilities.extensions` bring, such as `task`. `request` and `begin` return
   * such results as they are; results of any other unknown type are refused.
   */
  resultTypes?: readonly string[] | undefined;
  /** Accepts only this revision, such as `2025-06-18`. Without it, the client finds out which one the server speaks. */
  revision?: string | undefined;
  /** Accepts only these revisions, and finds out which of them the server speaks. */
  revisions?: readonly string[] | undefined;
  /** The outcome of an earlier connection (`client.negotiated`); corrected if it turns out to be wrong. */
  negotiated?: Negotiated | undefined;
  /** Milliseconds a request may take without a response or progress; 60,000 by default. */
  timeoutMs?: number | undefined;
  /** Milliseconds a request may take in total; five minutes by default. */
  maxTimeoutMs?: number | undefined;
  /**
   * Milliseconds to wait for the response to the probe before the handshake of older revisions is tried; 5,000 by
   * default. A program that has written nothing yet gets six times as long. An answer that comes later still counts.
   */
  probeTimeoutMs?: number | undefined;
  /** Milliseconds that a program may take to send its first message; twice `timeoutMs` by default. */
  startTimeoutMs?: number | undefined;
  /**
   * Milliseconds between pings, which detect a server that hangs: one that does not respond within `timeoutMs` counts as
   * lost. Off by default. On 2026-07-28, which has no ping, `server/discover` is sent.
   */
  pingIntervalMs?: number | undefined;
  /** Cancels connecting. */
  signal?: AbortSignal | undefined;
  /** The lowest level of the log messages that the server is asked to send. */
  logLevel?: LogLevel | undefined;
  onLog?: ((message: LogMessage, context: HandlerContext) => void) | undefined;
  /** Called for each other notification. */
  onNotification?: ((method: string, params: JsonObject, context: HandlerContext) => void) | undefined;
  /** Reports problems that the author should know of, though no request failed; the console by default. */
  onWarning?: ((message: string, context: HandlerContext) => void) | undefined;
  /** Called while the client connects, also when it connects again. */
  onStatus?: ((status: ConnectStatus, context: HandlerContext) => void) | undefined;
  /** Called for each message as it is sent or received, also those of `connect`: to log or to show them. */
  onMessage?: ((traffic: Traffic, context: HandlerContext) => void) | undefined;
  /** Called when the connection broke without being closed. */
  onClose?: ((reason: Error | undefined, context: HandlerContext) => void) | undefined;
  /** Stores results that servers allow to be reused; by default in this process, nowhere if false. */
  cache?: CacheStore | false | undefined;
  /**
   * Separates private results in a shared cache, such as by user. Results of other credentials are separate in any case.
   */
  cachePartition?: string | undefined;
  /** If the server cannot be reached, uses the cached result, however old. */
  staleIfError?: boolean | undefined;
  /** How many questions of the server are answered per minute; the others are refused. No limit by default. */
  maxQuestionsPerMinute?: number | undefined;
}

export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  onElicit: 'a function',
  onElicitUrl: 'a function',
  onSample: 'a function',
  roots: 1,
  serverName: 'a text',
  info: 1,
  sendInfo: 1,
  capabilities: 1,
  extensions: 1,
  middleware: 'a list',
  resultTypes: 'a list',
  revision: 'a text',
  revisions: 'a list',
  negotiated: 1,
  timeoutMs: 'a number, 0 or more',
  maxTimeoutMs: 'a number, 0 or more',
  probeTimeoutMs: 'a number, 0 or more',
  startTimeoutMs: 'a number, 0 or more',
  pingIntervalMs: 'a number, 0 or more',
  signal: 'an AbortSignal',
  logLevel: 1,
  onLog: 'a function',
  onNotification: 'a function',
  onWarning: 'a function',
  onStatus: 'a function',
  onMessage: 'a function',
  onClose: 'a function',
  cache: 1,
  cachePartition: 'a text',
  staleIfError: 1,
  maxQuestionsPerMinute: 1,
};
