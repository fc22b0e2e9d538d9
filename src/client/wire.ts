import type { JsonObject } from '../base/json.js';
import type { Notification, Request, RequestId, Response } from '../jsonrpc/message.js';

/** A request on its way to a server. */
export interface Outgoing {
  id: RequestId;
  method: string;
  params: JsonObject;
  /** Whether a stream with the answer that breaks off can be taken up again. */
  isResumable: boolean;
}

/** Headers, for wires that have some. */
export type Headers = Readonly<Record<string, string>>;

/** The time that a request may take. */
export interface Clock {
  /** Stops until something is done that is not up to the server, such as a user who signs in. */
  hold(until: Promise<unknown>): void;
}

/** A message that was sent. */
export interface Sent<T> {
  /** Rejects with `ConnectionError` or `InvalidAnswer` if no answer can come any more. */
  readonly response: Promise<T>;
  /** Gives the request up. Where that does not tell the server, the caller has to. */
  abandon(): void;
}

/** What comes from the server and is no answer. */
export type Incoming = Request | Notification;

/** How requests get to a server and their answers back, whatever the era. */
export interface Wire {
  /** Whether giving up a request tells the server so by itself. */
  readonly disconnectCancels: boolean;
  request(request: Outgoing, headers?: Headers, clock?: Clock): Sent<Response>;
  /** Sends what needs no answer: a notification, or an answer to the server. Resolves when it is taken. */
  post(text: string, headers?: Headers, clock?: Clock): Sent<void>;
  /** Opens a stream for what the server says by itself, if it needs one; it stays open until the signal aborts. */
  listen?(headers: Headers, signal: AbortSignal, onOpen: () => void): Promise<void>;
  /** Tells the server that the session of these headers is over. */
  end?(headers: Headers): Promise<void>;
  close(): Promise<void>;
}

/** Makes a wire whose incoming messages go to `receive`. `closed` is called if it breaks for good. */
export type OpenWire = (
  receive: (message: Incoming) => void,
  closed: (reason?: Error) => void,
  signal?: AbortSignal,
) => Promise<Wire>;
