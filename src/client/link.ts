import type { JsonObject } from '../base/json.js';
import type { Progress } from '../protocol/call.js';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/capabilities.js';
import type { Change } from '../protocol/changes.js';
import type { Claims } from '../protocol/extensions.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { LogLevel } from '../protocol/logging.js';
import type { SubscriptionFilter } from '../protocol/subscription-filter.js';
import type { Deadline } from './deadline.js';
import type { ClientMiddlewareStack } from './middleware.js';
import type { OpeningWaits } from './opening-waits.js';
import type { Headers } from './wire.js';

/** A server's description of itself. */
export interface ServerDescription {
  info: Implementation | undefined;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
}

/** A server's description of itself, as a connected client offers it. */
export interface ConnectedServer extends ServerDescription {
  /** The settings that the server declared for an extension; undefined if it did not declare the extension. */
  extension(id: string): JsonObject | undefined;
}

/** Timeouts, cancellation and progress of one request. */
export interface RequestOptions {
  /** Milliseconds without a response or progress after which the request fails. */
  timeoutMs?: number | undefined;
  /** Milliseconds in total after which the request fails. */
  maxTimeoutMs?: number | undefined;
  /** Cancels the request. A reason that is a text, as in `abort('the user left')`, is sent to the server. */
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Headers of this request, where the transport has headers. */
  headers?: Headers | undefined;
}

/** Options of one request of a call. All requests of the call share its deadline. */
export interface SendOptions extends RequestOptions {
  deadline?: Deadline | undefined;
  /** Whether the request has passed the middleware of the client already. */
  hasPassed?: boolean | undefined;
}

/** What a subscription to changes reports. */
export interface ChangeListener {
  /**
   * The subscription is active, for this part of its filter. Called again after each interruption, during which
   * changes may have been missed.
   */
  acknowledged(filter: SubscriptionFilter): void;
  changed(change: Change): void;
}

/**
 * A negotiated connection to one server. It speaks one era; its users need not know which. Messages that the server or
 * the client did not declare are refused before they are sent: with `NotSupported`, or `UsageError` if it is the client's
 * own declaration that is missing.
 */
export interface Link {
  /** The dated revision in use. */
  readonly revision: string;
  readonly server: ServerDescription;
  /** Whether calls of tools may have to carry headers that mirror their arguments. */
  readonly mirrorsParameters: boolean;
  /** Whether the connection broke for good. */
  readonly isBroken: boolean;
  /** Resolves with the result, of whatever kind. Rejects with `McpError` if the server responds with an error. */
  request(method: string, params: JsonObject, options: SendOptions): Promise<JsonObject>;
  /** A question of the server as the client may answer it. Throws if the client did not declare what it needs. */
  allow(question: InputRequest): InputRequest;
  /** Whether a result looks like one from a server of this era. */
  isExpected(result: JsonObject): boolean;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Sets the lowest level of the log messages that the server sends. */
  setLogLevel(level: LogLevel, options: RequestOptions): Promise<void>;
  ping(options: RequestOptions): Promise<void>;
  /**
   * Subscribes to changes until the signal aborts. Resolves when the server ends the subscription, rejects if it breaks,
   * and with `NotSupported` if the server reports nothing of what the filter names.
   */
  listen(filter: SubscriptionFilter, listener: ChangeListener, signal: AbortSignal): Promise<void>;
  /** Notifies the server that the roots changed, where the revision has such a notification. */
  rootsChanged(): Promise<void>;
  /** Running requests fail, with the reason if there is one. */
  close(reason?: Error): Promise<void>;
}

/** The client as a link sees it. */
export interface LinkHost {
  readonly info: Implementation;
  /** Whether `info` is sent also where it may be left out. */
  readonly sendsInfo: boolean;
  /** What the client can do. A link declares the part that its revision knows. */
  readonly capabilities: ClientCapabilities;
  /** The types of results that the extensions in `capabilities` bring. */
  readonly resultTypes: ReadonlySet<string>;
  /** The parts that the extensions of the client brought; undefined without extensions. */
  readonly claims: Claims | undefined;
  readonly middleware: ClientMiddlewareStack;
  readonly logLevel: LogLevel | undefined;
  /** Whether the client has handlers for messages that the server sends by itself. */
  readonly isListening: boolean;
  /** Answers a question of the server. Throws `McpError` if the client has no handler for it. */
  answer(question: InputRequest, signal: AbortSignal): Promise<InputResponse>;
  /** Answers a request of the server that belongs to an extension; undefined if it belongs to none. */
  answerOwn(method: string, params: JsonObject, signal: AbortSignal): Promise<object> | undefined;
  /** Called for each notification other than progress. */
  notified(method: string, params: JsonObject): void;
  changed(change: Change): void;
  /** Reports a problem that the author should know of, though no request failed. */
  warn(message: string): void;
  /** The calls that wait until a connection or a session is open. */
  readonly opening: OpeningWaits;
  /** Called when the connection broke for good without being closed. */
  lost(link: Link | undefined, reason: Error | undefined): void;
}
