import { isObject } from '../base/json.js';
import { META } from './meta.js';

/** The trace that a message belongs to, in the formats of W3C Trace Context and W3C Baggage. */
export interface TraceContext {
  traceparent?: string;
  /** Only with a `traceparent`. */
  tracestate?: string;
  baggage?: string;
}

/**
 * The trace context in `_meta`; undefined if there is neither a `traceparent` in the W3C format nor a `baggage`.
 *
 * @example
 * const trace = readTraceContext(request.params._meta);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function readTraceContext(meta: unknown): TraceContext | undefined {
  const given = readString(meta, META.traceparent);
  const traceparent = given !== undefined && isTraceparent(given) ? given : undefined;
  const tracestate = traceparent === undefined ? undefined : readString(meta, META.tracestate);
  const baggage = readString(meta, META.baggage);
  if (traceparent === undefined && baggage === undefined) return undefined;
  return {
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  };
}

function readString(meta: unknown, key: string): string | undefined {
  const value = isObject(meta) && Object.hasOwn(meta, key) ? meta[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** @see https://www.w3.org/TR/trace-context/#traceparent-header */
export function isTraceparent(text: string): boolean {
  const [, version, trace, parent, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(text) ?? [];
  if (version === undefined || trace === undefined || parent === undefined) return false;
  // Later versions may add fields at the end; ff is not a version, and ids of only zeros are invalid.
  return (
    version !== 'ff' &&
    (version !== '00' || more === undefined) &&
    !/^0+$/.test(trace) &&
    !/^0+$/.test(parent)
  );
}
