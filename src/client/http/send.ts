import type { Awaitable } from '../../base/settle.js';
import type { Clock } from '../wire.js';

/** One HTTP request of a client. */
export interface HttpRequest {
  method: 'POST' | 'GET' | 'DELETE';
  url: string;
  /** Not shared with other requests: a sender may add to them. */
  headers: Record<string, string>;
  body?: string | undefined;
  /** The revision that the message in the body is of, if there is one. */
  revision?: string | undefined;
}

/** A response whose body is still to be read. */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /**
   * The whole body. Rejects with `ConnectionError` if it breaks off, with `InvalidAnswer` if it exceeds `limit` bytes.
   */
  text(limit: number): Promise<string>;
  /**
   * Passes on the body in chunks, and waits for the promise that `onChunk` returns. Resolves at the end; rejects with
   * `ConnectionError` if the body breaks off.
   */
  read(onChunk: (bytes: Uint8Array) => Awaitable<void>): Promise<void>;
}

/** A request that was sent. */
export interface HttpExchange {
  /** Rejects with `ConnectionError` if there is no response. */
  readonly response: Promise<HttpResponse>;
  /** Ends the exchange at any point. */
  abort(): void;
  /** Whether the server has refused the request, or it was not sent yet. */
  isUntaken?(): boolean;
}

/** Sends requests with the means of the runtime. Does not follow redirects. */
export interface HttpSender {
  /** Sends a request. `clock` stops while it waits for something other than the server. */
  send(request: HttpRequest, clock?: Clock): HttpExchange;
  /** Closes idle connections that are kept for reuse. */
  close(): void;
}
