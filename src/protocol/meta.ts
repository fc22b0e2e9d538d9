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
