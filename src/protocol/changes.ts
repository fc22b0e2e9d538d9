import type { JsonObject } from '../base/json.js';
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
  | { readonly kind: 'elicitation'; readonly id: string }
  /** A notice of an extension: any notification that it sends to those who listen. */
  | {
      readonly kind: 'notice';
      readonly method: string;
      readonly params: JsonObject;
      readonly audience?: Audience | undefined;
      /** Whether it is only for those who asked for it, and were allowed to. */
      readonly isRestricted?: boolean | undefined;
    };

/** Changes of other nodes may have been missed, so a client is told of everything that it listens to. */
export interface MissedChanges {
  readonly kind: 'missed';
}

/** A change of a list, or of one resource. */
export type ListedChange = Exclude<Change, { kind: 'elicitation' | 'notice' }>;

/** The changes that a client hears of, which subscribed to these resources. */
export function unfold(change: Change | MissedChanges, subscribed: Iterable<string>): readonly Change[] {
  if (change.kind !== 'missed') return [change];
  const resources = [...subscribed].map(uri => ({ kind: 'resource', uri, isRestricted: true }) as const);
  return [{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }, ...resources];
}

/** The notification for a change. */
export function changeNotification(change: Change): { method: string; params?: JsonObject } {
  if (change.kind === 'notice') return change;
  if (change.kind === 'resource') {
    return { method: 'notifications/resources/updated', params: { uri: change.uri } };
  }
  if (change.kind === 'elicitation') {
    return { method: 'notifications/elicitation/complete', params: { elicitationId: change.id } };
  }
  return { method: `notifications/${change.kind}/list_changed` };
}

/** Whether a change is for a client. */
export function isFor(
  change: Change,
  client: { principal: string | undefined; session?: Session | undefined },
): boolean {
  const audience = 'audience' in change ? change.audience : undefined;
  if (!audience) return true;
  return 'session' in audience
    ? isSame(audience.session, client.session)
    : audience.principal === client.principal;
}

/** Other nodes have objects of their own for a session, and name it by the end of its id. */
function isSame(session: Session, client: Session | undefined): boolean {
  return session === client || (!!session.id && client?.id?.endsWith(session.id) === true);
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
