import { UsageError } from '../base/errors.js';
import { isObject } from '../base/json.js';

/** For how long a result may be reused, and by whom. */
export interface CacheHint {
  /** Milliseconds from the moment the result is received; 0 means that it is stale at once. */
  ttlMs: number;
  /** `public`: by anyone; `private`: only under the authorization it was fetched with. */
  cacheScope: 'public' | 'private';
}

/**
 * The cache hint of a result, or undefined if it has none. Invalid values are read cautiously: an invalid `ttlMs` as 0,
 * an unknown scope as `private`.
 *
 * @example
 * readCacheHint({ tools: [], ttlMs: 60_000, cacheScope: 'public' }); // { ttlMs: 60000, cacheScope: 'public' }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function readCacheHint(result: unknown): CacheHint | undefined {
  if (!isObject(result) || !Object.hasOwn(result, 'ttlMs') || result.ttlMs === undefined) return undefined;
  const { ttlMs } = result;
  const isUsable = typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs > 0;
  const isPublic = Object.hasOwn(result, 'cacheScope') && result.cacheScope === 'public';
  return { ttlMs: isUsable ? Math.floor(ttlMs) : 0, cacheScope: isPublic ? 'public' : 'private' };
}

/**
 * A copy of a result with a cache hint. A fraction of a millisecond is dropped.
 *
 * @example
 * withCacheHint({ tools: [] }, { ttlMs: 60_000, cacheScope: 'public' });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function withCacheHint<Result extends object>(result: Result, hint: CacheHint): Result & CacheHint {
  const { ttlMs, cacheScope } = hint;
  if (!Number.isFinite(ttlMs) || ttlMs < 0) {
    throw new UsageError(`ttlMs must be a finite number of milliseconds, 0 or more, but is ${String(ttlMs)}`);
  }
  if (cacheScope !== 'public' && cacheScope !== 'private') {
    throw new UsageError(`cacheScope must be "public" or "private", but is ${JSON.stringify(cacheScope)}`);
  }
  // Adding 0 turns -0 into 0.
  return { ...result, ttlMs: Math.floor(ttlMs) + 0, cacheScope };
}
