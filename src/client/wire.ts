import type { JsonObject } from '../base/json.js';
import type { Malformed, Notification, Request, RequestId, Response } from '../jsonrpc/message.js';

/** A request to send to a server. */
export interface Outgoing {
  id: RequestId;
  method: string;
  params: JsonObject;
  /** Whether a broken stream with the response can be resumed. */
  isResumable: boolean;
}

/** Headers, for wires that have them. */
export type Headers = Readonly<Record<string, string>>;

/** The wait for the outcome of a message. */
export interface Clock {
  /** Whether nobody waits for the outcome, so that no user may be asked to sign in for it. */
  readonly isUnattended?: boolean;
  /** Stops the time while waiting for something other than the server, such as a user who signs in. */
  hold(until: Promise<unknown>): void;
}

/** A message that was sent. */
export interface Sent<T> {
  /** Rejects with `McpError` if HTTP refused the message with one, otherwise as soon as no response can come any more. */
  readonly response: Promise<T>;
  /** Stops waiting for the response. If the wire does not cancel on disconnect, the caller has to notify the server. */
  abandon(): void;
  /** Whether the server has not taken the message: it refused it, or the client still waits for access. */
  isUntaken?(): boolean;
}

/** A message from the server other than a response; a malformed one has an id, so that it can be answered. */
export type Incoming = Request | Notification | Malformed;

/**
 * Takes the messages of a server. `session` is the one of the stream that a message came on, and `about` the request that
 * the stream answers, if there is one.
 */
export type Receive = (message: Incoming, session?: string, about?: RequestId) => void;

/** What can be seen of a program at the other end of a wire, besides its answers. */
export interface Signs {
  /** Whether it has written nothing so far, neither messages nor logs. */
  isStarting(): boolean;
  /** Whether it has sent a message. */
  hasSpoken(): boolean;
  /** Whether its log names a method, so that it must have read a request. */
  hasRead(method: string): boolean;
}

/** Carries requests to a server and responses back, in every era. */
export interface Wire {
  /** Present if the other end is a program that this process has started. */
  readonly signs?: Signs | undefined;
  /** Whether it sends the headers that it is given. */
  readonly hasHeaders: boolean;
  /** Whether abandoning a request also tells the server that it is cancelled. */
  readonly disconnectCancels: boolean;
  request(request: Outgoing, headers?: Headers, clock?: Clock): Sent<Response>;
  /** Sends a notification, or a response to the server. Resolves when the server has accepted it. */
  post(text: string, headers?: Headers, clock?: Clock): Sent<void>;
  /**
   * Opens a stream for messages that the server sends by itself; it stays open until the signal aborts. `onOpen` is
   * called each time it opens.
   */
  listen?(headers: Headers, signal: AbortSignal, onOpen: () => void): Promise<void>;
  /** Tells the server that the session in these headers is over. */
  end?(headers: Headers): Promise<void>;
  /** Running requests fail, with the reason if there is one. */
  close(reason?: Error): Promise<void>;
}

/** Opens a wire that passes incoming messages to `receive`. `closed` is called if it breaks for good. */
export type OpenWire = (
  receive: Receive,
  closed: (reason?: Error) => void,
  signal?: AbortSignal,
) => Promise<Wire>;
