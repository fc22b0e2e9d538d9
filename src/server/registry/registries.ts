import type { JsonObject } from '../../base/json.js';
import type { CacheHint } from '../../protocol/caching.js';
import { uriProblem } from '../../protocol/resource-uri.js';
import type { PromptEntry } from './prompts.js';
import { type Entry, Registry } from './registry.js';
import type { ResourceEntry } from './resources.js';
import type { ToolEntry } from './tools.js';

/** Everything that is registered with a server. */
export interface Registries {
  readonly tools: Registry<ToolEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceEntry>;
}

/** What the registries need of their server. */
export interface RegistriesHost {
  readonly pageSize: number;
  cacheHint(list: keyof Registries): CacheHint;
  /** Called after every change. Templates belong to the resources. */
  changed(kind: 'tools' | 'prompts' | 'resources'): void;
}

export function createRegistries(host: RegistriesHost): Registries {
  const create = <E extends Entry>(list: keyof Registries, kind: string, member: string): Registry<E> => {
    const hint = host.cacheHint(list);
    return new Registry<E>({
      kind,
      pageSize: host.pageSize,
      list: (listings, nextCursor, isPersonal) => ({
        [member]: listings,
        ...(nextCursor !== undefined && { nextCursor }),
        ...hint,
        ...(isPersonal && { cacheScope: 'private' }),
      }),
      changed: () => host.changed(list === 'templates' ? 'resources' : list),
    });
  };
  return {
    tools: create('tools', 'tool', 'tools'),
    prompts: create('prompts', 'prompt', 'prompts'),
    resources: create('resources', 'resource', 'resources'),
    templates: create('templates', 'resource template', 'resourceTemplates'),
  };
}

/** The entry that serves a URI: the resource with this URI, or the first template that matches. */
export function findResource(
  { resources, templates }: Registries,
  uri: string,
): { entry: ResourceEntry; variables: JsonObject } | undefined {
  if (uriProblem(uri)) return undefined;
  const exact = resources.get(uri);
  if (exact) return { entry: exact, variables: {} };
  for (const template of templates.entries()) {
    const variables = template.match(uri);
    if (variables) return { entry: template, variables };
  }
  return undefined;
}
