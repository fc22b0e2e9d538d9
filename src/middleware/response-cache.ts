import { checkOptions, type OptionNames } from '../base/options.js';
import type { MiddlewareCall, MiddlewareLayer, Next, Result } from '../server/index.js';
import { checkAtLeast, checkPositive } from './check.js';
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
  maxResults: 1,
};

/** A call whose result may be reused, unless its session was asked something meanwhile. */
interface Running {
  readonly session: ReturnType<typeof sessionKey>;
  mayHaveAsked: boolean;
}

/**
 * Reuses the results of tools for the same arguments, the same principal, and clients with the same capabilities. Who may not
 * use a tool any more gets none. Failures, results that rest on a question to the client, and results of the types that
 * extensions brought are never reused.
 *
 * @example
 * server.use(responseCache({ ttlMs: 60_000, tools: ['weather'] }));
 */
export function responseCache(options: ResponseCacheOptions): MiddlewareLayer {
  checkOptions(options, RESPONSE_CACHE_OPTIONS, 'responseCache');
  const { ttlMs, tools, maxResults = 1000 } = options;
  checkPositive('ttlMs', ttlMs);
  checkAtLeast('maxResults', maxResults, 1);
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
      const key = JSON.stringify([name, args, own.session, ...seenBy(call)]);
      const found = kept.get(key);
      if (found && found.until > Date.now()) return unlessRefused(next, found.result);
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

/** What a handler may see of its client, and answer by. */
function seenBy({ principal, revision, client }: MiddlewareCall): unknown[] {
  return [principal ?? null, revision, client.capabilities];
}

/** The kept result, if the caller may still use the tool: all that would happen does happen, but for the handler. */
async function unlessRefused(next: Next, kept: Result): Promise<Result> {
  let isAllowed = false;
  const instead = () => {
    isAllowed = true;
    return { content: [], isError: true };
  };
  const outcome = await next({ replace: () => ({ instead }) });
  return isAllowed ? kept : outcome;
}

function isReusable(result: Result): boolean {
  const { isError = false, resultType = 'complete' } = result as { isError?: boolean; resultType?: string };
  return !isError && resultType === 'complete';
}
