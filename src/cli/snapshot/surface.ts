import { type Client, ERROR, McpError } from 'tenon/client';
import type { Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from 'tenon/protocol';

/** The version of the format of snapshots. */
export const SNAPSHOT_FORMAT = 1;

/** What a server offers, in an order that does not change. */
export interface Surface {
  readonly tenonSnapshot: number;
  /** The revision that it was taken in: older ones show less. */
  readonly revision: string;
  /** Without the version, which changes with every release. */
  readonly server: { readonly name?: string; readonly title?: string };
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Asks a server for everything that it offers. */
export async function takeSurface(client: Client, signal: AbortSignal): Promise<Surface> {
  const { capabilities, info, instructions } = client.server;
  const { name, title } = info ?? {};
  const [tools, prompts, resources, templates] = await Promise.all([
    capabilities.tools ? orNone(client.tools({ signal })) : [],
    capabilities.prompts ? orNone(client.prompts({ signal })) : [],
    capabilities.resources ? orNone(client.resources({ signal })) : [],
    capabilities.resources ? orNone(client.resourceTemplates({ signal })) : [],
  ]);
  return {
    tenonSnapshot: SNAPSHOT_FORMAT,
    revision: client.revision,
    server: { ...(name !== undefined && { name }), ...(title !== undefined && { title }) },
    ...(instructions !== undefined && { instructions }),
    capabilities,
    tools: sorted(tools, tool => tool.name),
    prompts: sorted(prompts, prompt => prompt.name),
    resources: sorted(resources, resource => resource.uri),
    templates: sorted(templates, template => template.uriTemplate),
  };
}

/** Many servers declare resources, and do not know the method that lists templates. */
async function orNone<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof McpError && error.code === ERROR.methodNotFound) return [];
    throw error;
  }
}

/** By code units, which is the same on every machine. */
function sorted<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  return [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}
