import { type Change, isSubscribed, type ListedChange } from './changes.js';
import type { SubscriptionFilter } from './subscription-filter.js';

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
    default:
      return false;
  }
}

/** The part of a filter that another filter contains, too. */
export function commonFilter(filter: SubscriptionFilter, other: SubscriptionFilter): SubscriptionFilter {
  const agreed = new Set(other.resourceSubscriptions);
  const own = Object.entries(other.own ?? {}).filter(([member]) => Object.hasOwn(filter.own ?? {}, member));
  const uris = filter.resourceSubscriptions?.filter(uri => agreed.has(uri)) ?? [];
  return {
    ...(filter.toolsListChanged && other.toolsListChanged && { toolsListChanged: true }),
    ...(filter.promptsListChanged && other.promptsListChanged && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && other.resourcesListChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(own.length > 0 && { own: Object.fromEntries(own) }),
  };
}

/** Whether a filter names nothing at all. */
export function isEmptyFilter(filter: SubscriptionFilter): boolean {
  return changesIn(filter).length === 0 && Object.keys(filter.own ?? {}).length === 0;
}

/** All changes that a filter names, besides the notices of extensions, which are not known before they come. */
export function changesIn(filter: SubscriptionFilter): ListedChange[] {
  return [
    ...(filter.toolsListChanged ? [{ kind: 'tools' as const }] : []),
    ...(filter.promptsListChanged ? [{ kind: 'prompts' as const }] : []),
    ...(filter.resourcesListChanged ? [{ kind: 'resources' as const }] : []),
    ...(filter.resourceSubscriptions ?? []).map(uri => ({ kind: 'resource' as const, uri })),
  ];
}
