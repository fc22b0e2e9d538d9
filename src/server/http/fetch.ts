import { SERVICE, type Servable } from '../../protocol/service.js';
import { FetchExchange } from './fetch-exchange.js';
import { type HandlerOptions, HttpHandler } from './handler.js';

/** A server as a function from `Request` to `Response`, for Bun, Deno, workerd, and frameworks built on them. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Refuses new requests, ends streams, and waits for calls up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server through the fetch API.
 *
 * @example
 * export default { fetch: fetchHandler(server) };
 */
export function fetchHandler(server: Servable, options: HandlerOptions = {}): FetchHandler {
  const handler = new HttpHandler(server[SERVICE], options);
  const serve = (request: Request) =>
    new Promise<Response>(resolve => {
      handler.handle(new FetchExchange(request, resolve));
    });
  return Object.assign(serve, { close: (graceMs?: number) => handler.close(graceMs) });
}
