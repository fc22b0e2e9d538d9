import type { Awaitable } from '../../base/settle.js';
import type { Clock } from '../wire.js';

/** One HTTP request of a client. */
export interface HttpRequest {
  method: 'POST' | 'GET' | 'DELETE';
  url: string;
  /** Belong to the request alone: a sender may add to them. */
  headers: Record<string, string>;
  body?: string | undefined;
}

/** The response, whose body is still to be read. */
export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The whole body as text. Rejects with `ConnectionError` if it breaks off, with `InvalidAnswer` if it has more than `limit` bytes. */
  text(limit: number): Promise<string>;
  /**
   * Hands the body over as it comes, and waits for whoever takes it. Resolves at its end; rejects with
   * `ConnectionError` if it breaks off.
   */
  read(onChunk: (bytes: Uint8Array) => Awaitable<void>): Promise<void>;
}

/** A request that was sent. */
export interface HttpExchange {
  /** Rejects with `ConnectionError` if there is none. */
  readonly response: Promise<HttpResponse>;
  /** Ends the exchange, wherever it is. */
  abort(): void;
}

/** Sends requests in the way of the runtime. Redirects are not followed. */
export interface HttpSender {
  /** Sends a request. `clock` stops while that has to wait for something that is not up to the server. */
  send(request: HttpRequest, clock?: Clock): HttpExchange;
  /** Closes connections that are kept for the next request. */
  close(): void;
}
