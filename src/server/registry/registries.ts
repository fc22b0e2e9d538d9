import type { JsonObject } from '../../base/json.js';
import { uriProblem } from '../../protocol/resource-uri.js';
import type { PromptEntry } from './prompts.js';
import type { Registry } from './registry.js';
import type { ResourceEntry } from './resources.js';
import type { ToolEntry } from './tools.js';

/** Everything that is registered with a server. */
export interface Registries {
  readonly tools: Registry<ToolEntry>;
  readonly prompts: Registry<PromptEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceEntry>;
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
