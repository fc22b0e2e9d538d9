import { checkOptions } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import { FetchExchange } from './fetch-exchange.js';
import { HANDLER_OPTIONS, type HandlerOptions, HttpHandler } from './handler.js';
import { refuseFor } from './refusal.js';

/** A server as a function from `Request` to `Response`, for Bun, Deno, workerd, and frameworks built on them. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Refuses new requests, ends streams, and waits for calls up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server through the fetch API. It cannot see where a connection comes from, so a server that is reached over
 * loopback, or in a private network, needs `allowedHosts`: without them a web page could reach it by DNS rebinding.
 *
 * @example
 * export default { fetch: fetchHandler(server, { allowedHosts: ['mcp.example.com'] }) };
 */
export function fetchHandler(server: Servable, options: HandlerOptions = {}): FetchHandler {
  const service = serviceOf(server, 'fetchHandler');
  checkOptions(options, HANDLER_OPTIONS, 'fetchHandler');
  const handler = new HttpHandler(service, options);
  // workerd stops the timers of a request with its response, also the one that collects changes.
  const onEnd = () => service.flushChanges();
  const serve = (request: Request) =>
    new Promise<Response>(resolve => {
      const exchange = new FetchExchange(request, resolve, handler.ledger.open(), handler.stalledMs, onEnd);
      if (exchange.refusal) refuseFor(exchange, exchange.refusal);
      else handler.handle(exchange);
    });
  return Object.assign(serve, { close: (graceMs?: number) => handler.close(graceMs) });
}
