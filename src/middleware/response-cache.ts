import { checkOptions, type OptionNames } from '../base/options.js';
import { type MiddlewareLayer, type Result, UsageError } from '../server/index.js';
import { sessionKey } from './session-key.js';

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** How long a result is reused, in milliseconds. */
  ttlMs: number;
  /** The tools whose results are reused: those without side effects. */
  tools: readonly string[];
  /** How many results are kept: 1,000 by default. The oldest is forgotten first. */
  maxResults?: number | undefined;
}

const RESPONSE_CACHE_OPTIONS: OptionNames<ResponseCacheOptions> = {
  ttlMs: 1,
  tools: 'a list',
  maxResults: 'a number, 0 or more',
};

/** A call whose result may be reused, unless its session was asked something meanwhile. */
interface Running {
  readonly session: ReturnType<typeof sessionKey>;
  mayHaveAsked: boolean;
}

/**
 * Reuses the results of tools for the same arguments and the same principal. Failures, results that rest on a question to
 * the client, and results of the types that extensions brought are never reused.
 *
 * @example
 * server.use(responseCache({ ttlMs: 60_000, tools: ['weather'] }));
 */
export function responseCache(options: ResponseCacheOptions): MiddlewareLayer {
  checkOptions(options, RESPONSE_CACHE_OPTIONS, 'responseCache');
  const { ttlMs, tools, maxResults = 1000 } = options;
  if (!(ttlMs > 0)) throw new UsageError('ttlMs must be a positive number');
  const kept = new Map<string, { result: Result; until: number }>();
  const running = new Set<Running>();
  return {
    name: 'responseCache',
    question({ session }, next) {
      const key = sessionKey(session);
      for (const call of running) if (call.session === key) call.mayHaveAsked = true;
      return next();
    },
    async request(call, next) {
      const { name, arguments: args = {}, inputResponses, requestState } = call.params;
      const isCovered = call.method === 'tools/call' && tools.includes(name as string);
      if (!isCovered || inputResponses !== undefined || requestState !== undefined) return next();
      const own: Running = { session: sessionKey(call.session), mayHaveAsked: false };
      const key = JSON.stringify([name, call.principal ?? null, own.session, args]);
      const found = kept.get(key);
      if (found && found.until > Date.now()) return found.result;
      running.add(own);
      const result = await next().finally(() => running.delete(own));
      if (own.mayHaveAsked || !isReusable(result)) return result;
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
