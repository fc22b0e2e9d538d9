import type { Exchange } from './exchange.js';

/** Responds to the preflight request of a browser. */
export function answerPreflight(exchange: Exchange, headers: Readonly<Record<string, string>> = {}): void {
  exchange.respond(204, undefined, {
    ...headers,
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': exchange.header('access-control-request-headers') ?? '*',
    'access-control-max-age': '86400',
  });
}
