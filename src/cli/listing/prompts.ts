import type { Client } from 'tenon/client';
import type { Prompt } from 'tenon/protocol';
import { type CliError, usageError } from '../failure.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';

/** More names than these would hide the error. */
const MAX_NAMES = 20;

/** The prompts of a server, none if it does not have any. */
export async function promptsOf(client: Client, signal: AbortSignal): Promise<readonly Prompt[]> {
  return client.server.capabilities.prompts ? client.prompts({ signal }) : [];
}

/** Says that there is no prompt of this name, and which ones there are. */
export function unknownPrompt(name: string, prompts: readonly Prompt[]): CliError {
  const names = prompts.map(one => one.name);
  const near = closest(name, names);
  const known = `It has: ${names.slice(0, MAX_NAMES).map(plainLine).join(', ')}`;
  const all = names.length > 0 ? known : 'It has no prompts at all.';
  const next = near === undefined ? all : `Did you mean "${plainLine(near)}"?`;
  return usageError(`the server has no prompt "${plainLine(name)}"`, next);
}
