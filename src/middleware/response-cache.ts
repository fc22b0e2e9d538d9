import { canonicalText } from '../base/canonical.js';
import type { JsonObject } from '../base/json.js';
import { isLonger } from '../base/json-length.js';
import { checkOptions, type OptionNames } from '../base/options.js';
import type { Caller, MiddlewareCall, MiddlewareLayer, Next, Result } from '../server/index.js';
import { checkAtLeast, checkPositive } from './check.js';
import { KeptTexts } from './kept-texts.js';
import { MAX_CACHED_BYTES, MAX_CACHED_RESULTS } from './limits.js';
import { sessionKey } from './session-key.js';

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** How long a result is reused, in milliseconds. */
  ttlMs: number;
  /** The tools whose results are reused: those without side effects. */
  tools: readonly string[];
  /** How many results are kept: 1,000 by default. The oldest is forgotten first. */
  maxResults?: number | undefined;
  /** How many bytes they may take together, with what tells them apart: 64 MiB by default. A larger result is not kept. */
  maxBytes?: number | undefined;
}

const RESPONSE_CACHE_OPTIONS: OptionNames<ResponseCacheOptions> = {
  ttlMs: 1,
  tools: 'a list',
  maxResults: 1,
  maxBytes: 1,
};

/** A call whose result may be reused, unless its session was asked something meanwhile. */
interface Running {
  readonly session: ReturnType<typeof sessionKey>;
  mayHaveAsked: boolean;
}

/**
 * Reuses the results of tools for the same arguments and `_meta`, the same caller with the same scopes and claims, and
 * clients with the same name and capabilities. Who may not use a tool any more gets none. Failures, results that rest on a question to the client, and results of the types that
 * extensions brought are never reused.
 *
 * @example
 * server.use(responseCache({ ttlMs: 60_000, tools: ['weather'] }));
 */
export function responseCache(options: ResponseCacheOptions): MiddlewareLayer {
  checkOptions(options, RESPONSE_CACHE_OPTIONS, 'responseCache');
  const { ttlMs, tools, maxResults = MAX_CACHED_RESULTS, maxBytes = MAX_CACHED_BYTES } = options;
  checkPositive('ttlMs', ttlMs);
  checkAtLeast('maxResults', maxResults, 1);
  checkAtLeast('maxBytes', maxBytes, 1);
  // As text, whose size is known.
  const kept = new KeptTexts<{ until: number }>(maxResults, maxBytes);
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
      const key = canonicalText([name, args, own.session, ...seenBy(call)]);
      const found = kept.get(key);
      if (found && found.about.until > Date.now()) return unlessRefused(next, found.text);
      running.add(own);
      const result = await next().finally(() => running.delete(own));
      if (own.mayHaveAsked || !isReusable(result) || isLonger(result, kept.maxCharacters)) return result;
      kept.set(key, JSON.stringify(result), { until: Date.now() + ttlMs });
      return result;
    },
  };
}

/** What a handler may see of its client and of who calls, and answer by. */
function seenBy({ caller, revision, client: { info, capabilities }, meta }: MiddlewareCall): unknown[] {
  return [caller && lasting(caller), revision, info?.name, info?.version, capabilities, ownMeta(meta)];
}

/** A caller without what changes when its token is renewed. */
function lasting({ expiresAt: _, claims = {}, ...caller }: Caller): object {
  const { exp, iat, nbf, jti, ...others } = claims;
  return { ...caller, claims: others };
}

/** The metadata that may change a result: not progress tokens and traces, which are new in each request. */
function ownMeta({ progressToken, traceparent, tracestate, baggage, ...meta }: JsonObject): object {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => !name.startsWith('io.modelcontextprotocol/')),
  );
}

/** The kept result, if the caller may still use the tool: all that would happen does happen, but for the handler. */
async function unlessRefused(next: Next, kept: string): Promise<Result> {
  let isAllowed = false;
  const instead = () => {
    isAllowed = true;
    return { content: [], isError: true };
  };
  const outcome = await next({ replace: () => ({ instead }) });
  return isAllowed ? (JSON.parse(kept) as Result) : outcome;
}

function isReusable(result: Result): boolean {
  const { isError = false, resultType = 'complete' } = result as { isError?: boolean; resultType?: string };
  return !isError && resultType === 'complete';
}
