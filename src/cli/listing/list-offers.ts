import type { Client } from 'tenon/client';
import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon/protocol';
import { describeTool } from '../calling/describe-tool.js';
import type { Cli } from '../cli.js';
import type { ConnectionFlags } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliError, usageError } from '../failure.js';
import type { Target } from '../target.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';
import { describeServer } from './describe-server.js';
import { printEntries } from './print-entries.js';

export const KINDS = ['tools', 'resources', 'templates', 'prompts'] as const;
export type Kind = (typeof KINDS)[number];

export interface ListFlags extends ConnectionFlags {
  readonly search?: string;
  readonly all?: boolean;
}

/** What a server offers, by kind. A kind that the server does not declare is absent. */
export interface Offers {
  tools?: Tool[];
  resources?: Resource[];
  templates?: ResourceTemplate[];
  prompts?: Prompt[];
}

/** Lists what a server offers: everything, one kind, or one tool in detail. */
export async function listOffers(
  client: Client,
  target: Target,
  kind: Kind | undefined,
  name: string | undefined,
  flags: ListFlags,
  { output, signal }: Cli,
): Promise<void> {
  if (name !== undefined && kind !== 'tools') {
    throw usageError('only a tool is shown in detail', 'Write: tenon list <target> tools <name>');
  }
  const offers = await fetchOffers(client, kind, signal);
  if (name !== undefined) return describeTool(findNamed(offers.tools ?? [], name), output);
  const found = flags.search === undefined ? offers : search(offers, flags.search);
  if (output.isJson) {
    const { revision, server } = client;
    return output.json(
      kind ? { [kind]: found[kind] } : { server: { ...server.info, revision, ...about(client) }, ...found },
    );
  }
  if (!kind) describeServer(client, target, output);
  for (const one of KINDS) printEntries(one, found[one], flags, output);
}

async function fetchOffers(client: Client, kind: Kind | undefined, signal: AbortSignal): Promise<Offers> {
  const { capabilities } = client.server;
  const wants = (one: Kind, isDeclared: boolean) => (kind ? one === kind : isDeclared);
  const offers: Offers = {};
  if (wants('tools', Boolean(capabilities.tools))) offers.tools = await client.tools({ signal });
  if (wants('resources', Boolean(capabilities.resources)))
    offers.resources = await client.resources({ signal });
  if (wants('templates', Boolean(capabilities.resources)))
    offers.templates = await client.resourceTemplates({ signal });
  if (wants('prompts', Boolean(capabilities.prompts))) offers.prompts = await client.prompts({ signal });
  return offers;
}

function about({ server: { capabilities, instructions } }: Client): object {
  return { capabilities, ...(instructions !== undefined && { instructions }) };
}

function search(offers: Offers, text: string): Offers {
  const wanted = text.toLowerCase();
  const fits = (entry: object) =>
    ['name', 'title', 'description', 'uri', 'uriTemplate'].some(member =>
      String(Reflect.get(entry, member) ?? '')
        .toLowerCase()
        .includes(wanted),
    );
  const kept = Object.entries(offers).map(([kind, entries]) => [kind, (entries as object[]).filter(fits)]);
  return Object.fromEntries(kept) as Offers;
}

function findNamed(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find(one => one.name === name);
  if (tool) return tool;
  const near = closest(
    name,
    tools.map(one => one.name),
  );
  const next =
    near === undefined ? 'Leave the name out to see all tools.' : `Did you mean "${plainLine(near)}"?`;
  throw new CliError(`the server has no tool "${plainLine(name)}"`, {
    next,
    exitCode: EXIT.usage,
    kind: 'usage',
  });
}
