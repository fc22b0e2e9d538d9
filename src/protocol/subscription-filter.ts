import { isObject, type JsonObject } from '../base/json.js';

/**
 * The changes that a listening client wants to be notified of.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
  /** The members that extensions brought. On the wire they stand beside the others. */
  own?: Readonly<JsonObject>;
}

/** Reads the filter of a listen request; a string describes what is wrong with it. */
export function readSubscriptionFilter(value: unknown): SubscriptionFilter | string {
  if (!isObject(value)) return 'notifications must be an object that names what to listen to';
  const filter: SubscriptionFilter = {};
  for (const flag of ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const) {
    const wanted = value[flag];
    if (wanted !== undefined && typeof wanted !== 'boolean') return `notifications.${flag} must be a boolean`;
    if (wanted) filter[flag] = true;
  }
  const uris = value.resourceSubscriptions;
  if (uris === undefined) return filter;
  if (!Array.isArray(uris) || !uris.every(uri => typeof uri === 'string')) {
    return 'notifications.resourceSubscriptions must be a list of URIs';
  }
  if (uris.length > 0) filter.resourceSubscriptions = uris;
  return filter;
}
