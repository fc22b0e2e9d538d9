import { checkOptions, type OptionNames } from '../base/options.js';
import { ERROR, McpError, type MiddlewareCall, type MiddlewareLayer } from '../server/index.js';
import { checkAtLeast, checkPositive } from './check.js';
import { MAX_CALLERS } from './limits.js';
import { sessionKey } from './session-key.js';

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** How many requests of one method a caller may send per minute. */
  perMinute: number;
  /** How many of them may come at once; as many as per minute by default. */
  burst?: number | undefined;
  /** The methods that count; `tools/call` by default. */
  methods?: readonly string[] | undefined;
  /** How many callers are remembered: 10,000 by default. The one that was quiet longest is forgotten first. */
  maxCallers?: number | undefined;
}

const RATE_LIMIT_OPTIONS: OptionNames<RateLimitOptions> = {
  perMinute: 1,
  burst: 1,
  methods: 'a list',
  maxCallers: 1,
};

interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * Limits how often a caller may send a request of each method. Callers without a principal share one limit per session,
 * or one for all if there is no session. The error is
 * `ERROR.busy` and says when to come back, in `data.retryAfterMs`.
 *
 * @example
 * server.use(rateLimit({ perMinute: 60 }));
 *
 * @see https://modelcontextprotocol.io/specification/2025-06-18/server/tools#security-considerations
 */
export function rateLimit(options: RateLimitOptions): MiddlewareLayer {
  checkOptions(options, RATE_LIMIT_OPTIONS, 'rateLimit');
  const { perMinute, burst = perMinute, methods = ['tools/call'], maxCallers = MAX_CALLERS } = options;
  checkPositive('perMinute', perMinute);
  checkAtLeast('burst', burst, 1);
  checkAtLeast('maxCallers', maxCallers, 1);
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();
  return {
    name: 'rateLimit',
    request(call, next) {
      if (!methods.includes(call.method)) return next();
      const key = JSON.stringify([call.method, callerOf(call)]);
      const bucket = refill(buckets.get(key), perMs, burst);
      // The one that was used last stands at the end.
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxCallers) buckets.delete(buckets.keys().next().value as string);
      if (bucket.tokens < 1) throw tooMany(call.method, Math.ceil((1 - bucket.tokens) / perMs));
      bucket.tokens--;
      return next();
    },
  };
}

/** A principal is one caller in all its sessions: it may open as many as it likes. */
function callerOf({ principal, session }: MiddlewareCall): object {
  return principal === undefined ? { session: sessionKey(session) } : { principal };
}

function refill(bucket: Bucket | undefined, perMs: number, burst: number): Bucket {
  const now = performance.now();
  if (!bucket) return { tokens: burst, filledAt: now };
  const tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAt) * perMs);
  return { tokens, filledAt: now };
}

function tooMany(method: string, retryAfterMs: number): McpError {
  const message = `too many requests of ${method}: try again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return new McpError(ERROR.busy, message, { retryAfterMs });
}
