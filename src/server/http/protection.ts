import type { Awaitable } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import type { Challenge } from './challenge.js';
import { answerPreflight } from './cors.js';
import type { Exchange } from './exchange.js';
import { refuse } from './refusal.js';

/** The part of a request that a protection sees. */
export type ProtectedRequest = Pick<
  Exchange,
  'method' | 'path' | 'query' | 'isLocal' | 'header' | 'isRepeated'
>;

/** How an endpoint is protected. `protect` of `tenon/auth` creates one. */
export interface Protection {
  /** Whether a path is one of the documents that tell clients where to get tokens. */
  takes(path: string): boolean;
  /** Such a document as JSON; undefined if there is none at the path of the request. */
  describe(request: ProtectedRequest): string | undefined;
  /** Authenticates the caller, or returns the challenge that refuses it. */
  authenticate(request: ProtectedRequest): Awaitable<Caller | Challenge>;
  /** The scopes that every request needs. */
  readonly scopes: readonly string[];
  /** The challenge for a caller whose token lacks some of the scopes. */
  demand(request: ProtectedRequest, scopes: readonly string[]): Challenge;
}

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
