import { isObject } from '../base/json.js';

/**
 * The keys of `_meta` that have a meaning in the protocol.
 *
 * @example
 * const version = request.params._meta[META.protocolVersion];
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  progressToken: 'progressToken',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  baggage: 'baggage',
} as const;

/**
 * Which prefixes a revision reserves for itself:
 * - `none`: it has no such rule (2024-11-05, 2025-03-26)
 * - `any-label`: a label `modelcontextprotocol` or `mcp` with another label after it (2025-06-18)
 * - `second-label`: one of them is the second label (2025-11-25 and later)
 */
export type ReservedRule = 'none' | 'any-label' | 'second-label';

/**
 * Whether a key of `_meta` is well formed: a name, or a prefix of dotted labels, a slash and a name or nothing.
 *
 * @example
 * isMetaKey('com.example/table'); // true
 * isMetaKey('com..example/table'); // false
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function isMetaKey(key: string): boolean {
  const { labels, name } = splitKey(key);
  if (labels === undefined) return NAME.test(name);
  return labels.every(label => LABEL.test(label)) && (name === '' || NAME.test(name));
}

/** Whether the prefix of a key is reserved for the protocol, by the rule of a revision. */
export function isReservedUnder(rule: ReservedRule, key: string): boolean {
  const { labels = [] } = splitKey(key);
  if (rule === 'none') return false;
  if (rule === 'second-label') return isProtocolLabel(labels[1]);
  return labels.slice(0, -1).some(isProtocolLabel);
}

/** Whether an application may put a key into `_meta`, by the rule of a revision. */
export function mayAttachUnder(rule: ReservedRule, key: string): boolean {
  return isMetaKey(key) && !isReservedUnder(rule, key) && !UNPREFIXED.has(key);
}

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

/**
 * A copy of a notification with the id of the subscription it is delivered for. This is the id of the
 * `subscriptions/listen` request, and stays a number if it is one.
 *
 * @example
 * stampSubscription({ method: 'notifications/tools/list_changed' }, 7);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function stampSubscription<Notification extends { method: string; params?: object | undefined }>(
  notification: Notification,
  id: string | number,
): Notification & { params: { _meta: Record<string, unknown> } } {
  const params: { _meta?: unknown } = notification.params ?? {};
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...notification, params: { ...params, _meta: { ...meta, [META.subscriptionId]: id } } };
}

const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const UNPREFIXED: ReadonlySet<string> = new Set(Object.values(META).filter(key => !key.includes('/')));

function splitKey(key: string): { labels?: string[]; name: string } {
  const slash = key.lastIndexOf('/');
  if (slash === -1) return { name: key };
  return { labels: key.slice(0, slash).split('.'), name: key.slice(slash + 1) };
}

function isProtocolLabel(label: string | undefined): boolean {
  return label === 'modelcontextprotocol' || label === 'mcp';
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
