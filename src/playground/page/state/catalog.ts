import { createStore, unwrap } from 'solid-js/store';
import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon/protocol';
import type { Skill } from 'tenon/skills/client';
import type { PageProblem } from '../../api.js';
import { command, problemOf } from '../backend.js';
import type { Subject } from '../place.js';
import { noteActivity } from './activity.js';
import { connections } from './connections.js';

/** The lists of a server, on one connection. */
export interface Catalog {
  tools: Tool[];
  resources: Resource[];
  templates: ResourceTemplate[];
  prompts: Prompt[];
  skills: Skill[];
  isLoading: boolean;
  problem?: PageProblem | undefined;
}

type ListName = 'tools' | 'resources' | 'templates' | 'prompts';

const LISTS = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools' },
  resources: { method: 'resources/list', member: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates', capability: 'resources' },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts' },
} as const;

const EMPTY: Catalog = {
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  skills: [],
  isLoading: true,
};
/** A server that never ends its list is cut off here. */
const MAX_PAGES = 200;

const [catalogs, setCatalogs] = createStore<Record<string, Catalog>>({});

/** The lists on a connection; empty until they are loaded. */
export function catalogOf(connection: string): Catalog {
  return catalogs[connection] ?? EMPTY;
}

/** Loads the lists that the server offers, or only some of them. */
export async function loadCatalog(
  connection: string,
  names = Object.keys(LISTS) as ListName[],
): Promise<void> {
  const capabilities = connections[connection]?.server?.capabilities ?? {};
  if (!catalogs[connection]) setCatalogs(connection, { ...EMPTY });
  const offered = names.filter(name => capabilities[LISTS[name].capability]);
  setCatalogs(connection, { isLoading: true, problem: undefined });
  const attempt = (load: () => Promise<void>) =>
    load().catch(error => setCatalogs(connection, 'problem', problemOf(error)));
  await Promise.all([
    ...offered.map(name =>
      attempt(async () => setCatalogs(connection, name, await loadList(connection, name))),
    ),
    // The files of skills are resources.
    ...(offered.includes('resources') ? [attempt(() => loadSkills(connection))] : []),
  ]);
  setCatalogs(connection, 'isLoading', false);
}

/** Loads all lists that were loaded before. */
export async function loadCatalogs(): Promise<void> {
  await Promise.all(Object.keys(catalogs).map(connection => loadCatalog(connection)));
}

/** All tools on a connection, also on one whose lists the page does not show. */
export async function toolsOn(connection: string): Promise<Tool[]> {
  return unwrap(catalogs[connection]?.tools) ?? loadList(connection, 'tools');
}

/** All resources on a connection. */
export async function resourcesOn(connection: string): Promise<Resource[]> {
  return unwrap(catalogs[connection]?.resources) ?? loadList(connection, 'resources');
}

/** The item of the lists that a subject names. */
export function findItem(
  connection: string,
  { kind, name }: Subject,
): Tool | Resource | ResourceTemplate | Prompt | undefined {
  const { tools, resources, templates, prompts } = catalogOf(connection);
  if (kind === 'tool') return tools.find(tool => tool.name === name);
  if (kind === 'prompt') return prompts.find(prompt => prompt.name === name);
  if (kind === 'template') return templates.find(template => template.uriTemplate === name);
  return resources.find(resource => resource.uri === name);
}

async function loadSkills(connection: string): Promise<void> {
  const { skills, refused } = await command('skills', { connection });
  setCatalogs(connection, { skills });
  for (const text of refused) noteActivity({ type: 'warning', at: Date.now(), text });
}

async function loadList<N extends ListName>(connection: string, name: N): Promise<Catalog[N]> {
  const { method, member } = LISTS[name];
  const items: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const call = crypto.randomUUID();
    const result = await command('request', { connection, call, method, params });
    if (Array.isArray(result[member])) items.push(...result[member]);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return items as Catalog[N];
}
