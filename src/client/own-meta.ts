import { UsageError } from '../base/errors.js';
import { isObject, quoteBriefly } from '../base/json.js';
import { META } from '../protocol/meta.js';
import { isMetaKey } from '../protocol/meta-key.js';
import { isTraceparent } from '../protocol/trace-context.js';
import { checkLogLevel } from './own-params.js';
import { isBaggage, isTracestate } from './trace-format.js';

/**
 * Throws if an author must not send this `_meta`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function checkOwnMeta(meta: unknown, method: string): void {
  if (!isObject(meta)) throw new UsageError(`_meta of ${method} must be an object`);
  const wrong = Object.keys(meta).find(key => !isMetaKey(key));
  if (wrong !== undefined)
    throw new UsageError(`${quoteBriefly(wrong)} cannot be a key of _meta; write it as com.example/name`);
  const { progressToken: token } = meta;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token))
    throw new UsageError('a progress token must be a string or an integer');
  if (meta[META.logLevel] !== undefined) checkLogLevel(meta[META.logLevel]);
  for (const [key, isValid, format] of TRACE) {
    const value = meta[key];
    if (value === undefined || (typeof value === 'string' && isValid(value))) continue;
    throw new UsageError(`${quoteBriefly(value)} is not a ${key}; its format is that of ${format}`);
  }
}

/** The keys of a trace, and where their formats are from. */
const TRACE: readonly [string, (text: string) => boolean, string][] = [
  [META.traceparent, isTraceparent, 'https://www.w3.org/TR/trace-context/#traceparent-header'],
  [META.tracestate, isTracestate, 'https://www.w3.org/TR/trace-context/#tracestate-header'],
  [META.baggage, isBaggage, 'https://www.w3.org/TR/baggage/#definition'],
];
