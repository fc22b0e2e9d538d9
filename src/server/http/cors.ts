import type { Exchange } from './exchange.js';

/** Lets the page of an origin that passed the guard read the responses. */
export function withCors(exchange: Exchange): Exchange {
  const origin = exchange.header('origin');
  if (origin === undefined) return exchange;
  const cors = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'mcp-session-id, www-authenticate, dpop-nonce',
    vary: 'origin',
  };
  return {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    isLocal: exchange.isLocal,
    header: name => exchange.header(name),
    isRepeated: name => exchange.isRepeated(name),
    readBody: (limit, done) => exchange.readBody(limit, done),
    onDisconnect: callback => exchange.onDisconnect(callback),
    respond: (status, json, headers) => exchange.respond(status, json, { ...headers, ...cors }),
    stream: (status, headers) => exchange.stream(status, { ...headers, ...cors }),
  };
}

/** Answers the question that a browser asks before a request that is not simple. */
export function answerPreflight(exchange: Exchange, headers: Readonly<Record<string, string>> = {}): void {
  exchange.respond(204, undefined, {
    ...headers,
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': exchange.header('access-control-request-headers') ?? '*',
    'access-control-max-age': '86400',
  });
}
