import type { Exchange } from './exchange.js';

/** Lets a web page read the responses. Its origin has passed the guard. */
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
    account: exchange.account,
    header: name => exchange.header(name),
    isRepeated: name => exchange.isRepeated(name),
    readBody: (limit, done) => exchange.readBody(limit, done),
    onDisconnect: callback => exchange.onDisconnect(callback),
    respond: (status, json, headers) => exchange.respond(status, json, { ...headers, ...cors }),
    stream: (status, headers) => exchange.stream(status, { ...headers, ...cors }),
  };
}
