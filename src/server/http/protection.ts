import type { Awaitable } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import type { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';

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
