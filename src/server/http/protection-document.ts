import type { Exchange } from './exchange.js';
import { answerPreflight } from './preflight.js';
import type { Protection } from './protection.js';
import { refuse } from './refusal.js';

/** Responds with the document that says where tokens come from. Any web page may read it. */
export function respondDocument(exchange: Exchange, protection: Protection): void {
  const cors = { 'access-control-allow-origin': '*' };
  if (exchange.method === 'OPTIONS') return answerPreflight(exchange, cors);
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    return refuse(exchange, 405, `${exchange.method} is not allowed here`, {
      headers: { allow: 'GET', ...cors },
    });
  }
  const document = protection.describe(exchange);
  if (document === undefined)
    return refuse(exchange, 404, 'there is no such resource here', { headers: cors });
  exchange.respond(200, document, { ...cors, 'cache-control': 'public, max-age=300' });
}
