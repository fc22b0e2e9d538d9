import { isObject, type JsonObject } from '../base/json.js';
import type { Session } from './call.js';

/** The clients that a change is for: those of a principal, or one session. */
export type Audience = { readonly principal: string } | { readonly session: Session };

/** A change that a client may listen to: of a list, or of one resource. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources'; readonly audience?: Audience | undefined }
  | {
      readonly kind: 'resource';
      readonly uri: string;
      /** Whether it is only for those who subscribed to this very URI: others must not learn of it. */
      readonly isRestricted?: boolean;
    }
  /** The user has finished on the page of an elicitation. */
  | { readonly kind: 'elicitation'; readonly id: string };

/**
 * The changes that a listening client wants to be notified of.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
}

/** The notification for a change. */
export function changeNotification(change: Change): { method: string; params?: JsonObject } {
  if (change.kind === 'resource') {
    return { method: 'notifications/resources/updated', params: { uri: change.uri } };
  }
  if (change.kind === 'elicitation') {
    return { method: 'notifications/elicitation/complete', params: { elicitationId: change.id } };
  }
  return { method: `notifications/${change.kind}/list_changed` };
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

/** Whether a change is for a client. */
export function isFor(
  change: Change,
  client: { principal: string | undefined; session?: Session | undefined },
): boolean {
  const audience = 'audience' in change ? change.audience : undefined;
  if (!audience) return true;
  return 'session' in audience
    ? audience.session === client.session
    : audience.principal === client.principal;
}

/** Whether a filter lets a change through. */
export function wantsChange(filter: SubscriptionFilter, change: Change): boolean {
  switch (change.kind) {
    case 'tools':
      return filter.toolsListChanged === true;
    case 'prompts':
      return filter.promptsListChanged === true;
    case 'resources':
      return filter.resourcesListChanged === true;
    case 'resource':
      return isSubscribed(filter.resourceSubscriptions ?? [], change);
    case 'elicitation':
      return false;
  }
}

/** Whether the update of a resource is for a client that subscribed to these URIs, or to a resource it is a part of. */
export function isSubscribed(
  uris: Iterable<string>,
  { uri, isRestricted }: Extract<Change, { kind: 'resource' }>,
): boolean {
  for (const subscribed of uris) {
    if (isRestricted ? subscribed === uri : isPartOf(subscribed, uri)) return true;
  }
  return false;
}

/** Whether a URI names a resource, or a part of it: an update may be about a sub-resource of the subscribed one. */
export function isPartOf(resource: string, uri: string): boolean {
  if (!uri.startsWith(resource)) return false;
  return (
    uri.length === resource.length || resource.endsWith('/') || /^[/?#]/.test(uri.slice(resource.length))
  );
}

/** The part of a filter that another filter contains, too. */
export function commonFilter(filter: SubscriptionFilter, other: SubscriptionFilter): SubscriptionFilter {
  const agreed = new Set(other.resourceSubscriptions);
  const uris = filter.resourceSubscriptions?.filter(uri => agreed.has(uri)) ?? [];
  return {
    ...(filter.toolsListChanged && other.toolsListChanged && { toolsListChanged: true }),
    ...(filter.promptsListChanged && other.promptsListChanged && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && other.resourcesListChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

/** All changes that a filter names. */
export function changesIn(filter: SubscriptionFilter): Exclude<Change, { kind: 'elicitation' }>[] {
  return [
    ...(filter.toolsListChanged ? [{ kind: 'tools' as const }] : []),
    ...(filter.promptsListChanged ? [{ kind: 'prompts' as const }] : []),
    ...(filter.resourcesListChanged ? [{ kind: 'resources' as const }] : []),
    ...(filter.resourceSubscriptions ?? []).map(uri => ({ kind: 'resource' as const, uri })),
  ];
}

/** The change that a notification reports; undefined if it is another notification. */
export function readChange(method: string, params: JsonObject): Change | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return { kind: 'tools' };
    case 'notifications/prompts/list_changed':
      return { kind: 'prompts' };
    case 'notifications/resources/list_changed':
      return { kind: 'resources' };
    case 'notifications/resources/updated':
      return typeof params.uri === 'string' ? { kind: 'resource', uri: params.uri } : undefined;
    case 'notifications/elicitation/complete':
      return typeof params.elicitationId === 'string'
        ? { kind: 'elicitation', id: params.elicitationId }
        : undefined;
    default:
      return undefined;
  }
}
