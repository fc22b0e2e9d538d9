import { UsageError } from '../../base/errors.js';
import { isCount, isObject, quoteBriefly } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Call, Result } from '../../protocol/call.js';
import type { ListResourcesResult, Resource } from '../../protocol/resources.js';
import type { ErrorPolicy } from './error-policy.js';
import type { Permissions } from './permissions.js';
import type { findResource, Registries } from './registries.js';
import type { describeResource, ListContext, ListedResource, ResourceEntry } from './resources.js';
import { describedProblem } from './returned.js';

/** The start of a page of members. */
interface Place {
  /** The position of the template in its registry. */
  readonly position: number;
  /** The author's own cursor of the page of members that is listed next. */
  readonly cursor: string | undefined;
  /** How many members of that page were listed already. */
  readonly skip: number;
}

/** The parts of a server that a list of resources is made from. */
export interface ListSource {
  readonly registries: Registries;
  readonly permissions: Permissions;
  readonly report: ErrorPolicy['report'];
  /** Loaded at start anyway: if this file imported them, bundlers would cut the start of a server in two. */
  readonly find: typeof findResource;
  readonly describe: typeof describeResource;
  readonly openContext: (call: Call, cursor: string | undefined) => ListContext;
}

/** A page of `resources/list`: first the registered resources, then the members that templates list. */
export async function pageWithMembers(source: ListSource, call: Call): Promise<Result> {
  const { resources, templates } = source.registries;
  const from = readPlace(call.params.cursor);
  const listed: Resource[] = [];
  if (!from) {
    const page = (await registeredPage(source, call)) as ListResourcesResult;
    if (page.nextCursor !== undefined) return page as unknown as Result;
    listed.push(...page.resources);
  }
  for (const { position, entry, name } of templates.placed()) {
    if (!entry.list || (from && position < from.position) || !(await mayList(source, call, entry, name)))
      continue;
    const place = from?.position === position ? from : { position, cursor: undefined, skip: 0 };
    const room = resources.pageSize - listed.length;
    if (room <= 0) return resources.ownPage(listed, writePlace(place));
    const { members, nextCursor } = await membersOf(source, call, entry, name, place.cursor);
    const rest = members.slice(place.skip);
    listed.push(...rest.slice(0, room));
    const next =
      rest.length > room
        ? { ...place, skip: place.skip + room }
        : nextCursor !== undefined && { position, cursor: nextCursor, skip: 0 };
    if (next) return resources.ownPage(listed, writePlace(next));
  }
  return resources.ownPage(listed, undefined);
}

function registeredPage({ registries, permissions }: ListSource, call: Call): Awaitable<object> {
  const { cursor } = call.params;
  // The pages that follow are for this caller only, and all pages of a list have the same scope.
  return registries.resources.page(cursor, (entry, name) => permissions.mayList(entry, name, call), true);
}

/** Whether a caller may see the members of a template. If there is an `authorize`, it decides about each member. */
function mayList(
  { permissions }: ListSource,
  call: Call,
  entry: ResourceEntry,
  template: string,
): Awaitable<boolean> {
  const { access } = entry;
  return !access?.isHidden || access.authorize ? true : permissions.mayList(entry, template, call);
}

/** If the author's function fails, so does the request: a list without its members would look complete. */
async function membersOf(
  source: ListSource,
  call: Call,
  entry: ResourceEntry,
  template: string,
  cursor: string | undefined,
): Promise<{ members: Resource[]; nextCursor: string | undefined }> {
  const where = `the list of resource "${template}"`;
  const returned = await entry.list?.(source.openContext(call, cursor));
  const { items, nextCursor } = readList(returned, where, cursor);
  return { members: await admit(source, call, entry, items, where), nextCursor };
}

/**
 * The members that a caller may see and that the template serves. Members that cannot be listed are left out and
 * reported, because the rest of the list is still valid.
 */
async function admit(
  { registries, permissions, report, find, describe }: ListSource,
  call: Call,
  entry: ResourceEntry,
  items: readonly unknown[],
  where: string,
): Promise<Resource[]> {
  const members: Resource[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    const member = readMember(item, seen);
    const found = typeof member === 'string' ? undefined : find(registries, member.uri)?.entry;
    if (typeof member === 'string') problems.push(member);
    else if (!found) problems.push(`"${member.uri}" does not fit the template`);
    // A resource that another entry serves is listed, or hidden, by that entry.
    if (typeof member === 'string' || found !== entry) continue;
    const { uri, ...options } = member;
    if (entry.access?.isHidden && !(await permissions.mayList(entry, uri, call))) continue;
    const { mimeType } = entry.listing;
    members.push({ uri, ...describe(uri, { ...(mimeType && { mimeType }), ...options }) });
  }
  const [first, ...others] = problems;
  const rest = others.length > 0 ? ` (and ${others.length} more)` : '';
  if (first) report(new UsageError(`${where}: ${first}${rest}`), where);
  return members;
}

function readList(
  returned: unknown,
  where: string,
  cursor: string | undefined,
): { items: readonly unknown[]; nextCursor: string | undefined } {
  const { resources: items, nextCursor } = isObject(returned)
    ? returned
    : { resources: returned, nextCursor: undefined };
  const isCursor = nextCursor === undefined || typeof nextCursor === 'string';
  if (!Array.isArray(items) || !isCursor) {
    throw new UsageError(`${where} must return a list of resources, or { resources, nextCursor }`);
  }
  if (nextCursor !== undefined && nextCursor === cursor) {
    throw new UsageError(`${where} returned the cursor that it was given, which would never end`);
  }
  return { items, nextCursor };
}

const TEXTS = ['name', 'title', 'description', 'mimeType'];

/** A member as the author returned it; a string is the problem with it. `seen` are the URIs before it. */
function readMember(item: unknown, seen: Set<string>): ListedResource | string {
  const member = typeof item === 'string' ? { uri: item } : item;
  if (!isObject(member) || typeof member.uri !== 'string')
    return `a member needs a uri, unlike ${quoteBriefly(item)}`;
  const { uri } = member;
  if (seen.has(uri)) return `"${uri}" is listed twice`;
  seen.add(uri);
  const wrong = TEXTS.find(name => member[name] !== undefined && typeof member[name] !== 'string');
  if (wrong) return `the ${wrong} of "${uri}" must be a text`;
  const problem = describedProblem(member);
  return problem ? `"${uri}" is a resource ${problem}` : { ...member, uri };
}

const MARK = 'members';

function writePlace({ position, cursor, skip }: Place): string {
  return btoa(encodeURIComponent(JSON.stringify([MARK, position, skip, cursor])));
}

/** Reads the place from a cursor; undefined if the cursor is of another kind. */
function readPlace(text: unknown): Place | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const [mark, position, skip, cursor] = JSON.parse(decodeURIComponent(atob(text)));
    const isPlace = mark === MARK && isCount(position) && isCount(skip);
    if (!isPlace || (cursor !== null && typeof cursor !== 'string')) return undefined;
    return { position, skip, cursor: cursor ?? undefined };
  } catch {
    return undefined;
  }
}
