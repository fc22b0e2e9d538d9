import type { JsonObject } from '../base/json.js';
import type { Change, ListedChange } from '../protocol/changes.js';
import type { Claims } from '../protocol/extensions.js';
import { NotSupported } from '../protocol/failures.js';
import { changesIn, commonFilter, isEmptyFilter } from '../protocol/filtered-changes.js';
import type { SubscriptionFilter } from '../protocol/subscription-filter.js';
import type { Agreement } from '../revisions/agreement.js';

/** The part of a filter that the server declared to report. */
export function reportable(agreement: Agreement, filter: SubscriptionFilter): SubscriptionFilter {
  return commonFilter(filter, {
    toolsListChanged: agreement.has('server.tools.listChanged'),
    promptsListChanged: agreement.has('server.prompts.listChanged'),
    resourcesListChanged: agreement.has('server.resources.listChanged'),
    ...(agreement.has('server.resources.subscribe') && {
      resourceSubscriptions: filter.resourceSubscriptions ?? [],
    }),
    own: Object.fromEntries(
      Object.entries(filter.own ?? {}).filter(([member]) => {
        const claim = agreement.claims?.notices.get(member);
        return claim && !agreement.missingFor(claim);
      }),
    ),
  });
}

/** The notice of an extension that a notification carries; undefined if it carries none. */
export function readNotice(
  claims: Claims | undefined,
  method: string,
  params: JsonObject,
): Extract<Change, { kind: 'notice' }> | undefined {
  const isNotice = [...(claims?.notices.values() ?? [])].some(claim => claim.method === method);
  return isNotice ? { kind: 'notice', method, params } : undefined;
}

/** The part of a filter that the server declared to report; throws if there is none. */
export function checkFilter(agreement: Agreement, filter: SubscriptionFilter): SubscriptionFilter {
  const wanted = reportable(agreement, filter);
  if (isEmptyFilter(wanted)) throw notReported(filter);
  return wanted;
}

/** The error for changes that a server does not report. */
export function notReported(filter: SubscriptionFilter, cause?: unknown): NotSupported {
  const [first] = changesIn(filter);
  const message = `the server does not report changes of ${describeFilter(filter)}`;
  return new NotSupported(message, first && CAPABILITIES[first.kind], { cause });
}

/** The changes that a filter names and another one lacks, for people; undefined if it lacks none. */
export function describeMissing(filter: SubscriptionFilter, other: SubscriptionFilter): string | undefined {
  const present = new Set(namesIn(commonFilter(filter, other)));
  const missing = namesIn(filter).filter(name => !present.has(name));
  return list([
    ...missing,
    ...Object.keys(filter.own ?? {}).flatMap(name => partsMissing(name, filter, other)),
  ]);
}

/** The part of a member of an extension that was not acknowledged, while another part was. */
function partsMissing(
  name: string,
  { own: asked }: SubscriptionFilter,
  { own: given }: SubscriptionFilter,
): string[] {
  const [wanted, active] = [asked?.[name], given?.[name]];
  if (active === undefined || JSON.stringify(wanted) === JSON.stringify(active)) return [];
  if (!Array.isArray(wanted) || !Array.isArray(active)) return [`a part of ${name}`];
  const texts = new Set(active.map(item => JSON.stringify(item)));
  const missing = wanted.map(item => JSON.stringify(item)).filter(text => !texts.has(text));
  return missing.length > 0 ? [`${name} ${missing.slice(0, MAX_NAMES).join(', ')}`] : [];
}

const CAPABILITIES = {
  tools: 'tools.listChanged',
  prompts: 'prompts.listChanged',
  resources: 'resources.listChanged',
  resource: 'resources.subscribe',
} as const satisfies Record<ListedChange['kind'], string>;

function describeFilter(filter: SubscriptionFilter): string {
  return list(namesIn(filter)) ?? 'anything';
}

function namesIn(filter: SubscriptionFilter): string[] {
  return [...changesIn(filter).map(nameOf), ...Object.keys(filter.own ?? {})];
}

function nameOf(change: ListedChange): string {
  return change.kind === 'resource' ? change.uri : `the list of ${change.kind}`;
}

const MAX_NAMES = 5;

function list(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
