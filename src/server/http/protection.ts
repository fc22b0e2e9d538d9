import type { Awaitable } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import type { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';

/** What a protection sees of a request. */
export type ProtectedRequest = Pick<
  Exchange,
  'method' | 'path' | 'query' | 'isLocal' | 'header' | 'isRepeated'
>;

/** How an endpoint is protected. `protect` of `tenon/auth` makes one. */
export interface Protection {
  /** Whether a path is one of the documents that tell clients where to get tokens. */
  takes(path: string): boolean;
  /** Such a document as JSON; undefined if there is none at the path of the request. */
  describe(request: ProtectedRequest): string | undefined;
  /** Establishes who calls, or says why that failed. */
  authenticate(request: ProtectedRequest): Awaitable<Caller | Challenge>;
  /** The scopes that every request needs. */
  readonly scopes: readonly string[];
  /** What a caller is told who has a token, but not all scopes that it takes. */
  demand(request: ProtectedRequest, scopes: readonly string[]): Challenge;
}
