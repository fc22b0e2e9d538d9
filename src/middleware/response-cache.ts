import { type MiddlewareLayer, type Result, UsageError } from '../server/index.js';

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** How long a result is reused, in milliseconds. */
  ttlMs: number;
  /** The tools whose results are reused: those without side effects. */
  tools: readonly string[];
  /** How many results are kept: 1,000 by default. The oldest is forgotten first. */
  maxResults?: number | undefined;
}

/**
 * Reuses the results of tools for the same arguments and the same principal. Failures, questions and results of the types
 * that extensions brought are never reused.
 *
 * @example
 * server.use(responseCache({ ttlMs: 60_000, tools: ['weather'] }));
 */
export function responseCache({ ttlMs, tools, maxResults = 1000 }: ResponseCacheOptions): MiddlewareLayer {
  if (!(ttlMs > 0)) throw new UsageError('ttlMs must be a positive number');
  const kept = new Map<string, { result: Result; until: number }>();
  return {
    name: 'responseCache',
    async request(call, next) {
      const { name, arguments: args = {}, inputResponses, requestState } = call.params;
      const isCovered = call.method === 'tools/call' && tools.includes(name as string);
      if (!isCovered || inputResponses !== undefined || requestState !== undefined) return next();
      const key = JSON.stringify([name, call.principal ?? null, call.session?.id ?? null, args]);
      const found = kept.get(key);
      if (found && found.until > Date.now()) return found.result;
      const result = await next();
      if (!isReusable(result)) return result;
      kept.delete(key);
      kept.set(key, { result, until: Date.now() + ttlMs });
      if (kept.size > maxResults) kept.delete(kept.keys().next().value as string);
      return result;
    },
  };
}

function isReusable(result: Result): boolean {
  const { isError = false, resultType = 'complete' } = result as { isError?: boolean; resultType?: string };
  return !isError && resultType === 'complete';
}
