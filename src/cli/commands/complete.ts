import type { Command } from 'commander';
import type { Client } from 'tenon/client';
import { type CompletionReference, parseTemplate } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { usageError } from '../failure.js';
import { promptsOf, unknownPrompt } from '../listing/prompts.js';
import { type Target, targetArgument } from '../target.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';

interface CompleteFlags extends ConnectionFlags {
  readonly with: Readonly<Record<string, string>>;
}

export function defineComplete(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .argument('<reference>', 'the name of a prompt, or the URI template of resources')
      .argument('<argument>', 'the argument of the prompt, or the variable of the template')
      .argument('[typed]', 'what was typed so far', '')
      .option('--with <name=value>', 'an argument that is known already; may be repeated', readPair, {}),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (target: Target, reference: string, name: string, value: string, flags: CompleteFlags) => {
      const completion = await withClient(cli, target, flags, {}, async client => {
        const { ref, names } = await findReference(client, reference, cli.signal);
        if (names.length > 0 && !names.includes(name)) throw unknownArgument(reference, name, names);
        return client.complete(ref, { name, value }, { context: flags.with, signal: cli.signal });
      });
      const { output } = cli;
      if (output.isJson) return output.json(completion);
      for (const one of completion.values) output.print(plainLine(one));
      if (completion.hasMore) output.note(output.noteColours.dim(`… and more: type more to see fewer`));
    });
}

const EXAMPLES = `
Examples:
  tenon complete https://bistro.example/mcp plan_dinner dish qui
  tenon complete bistro plan_dinner dish --with day=friday
  tenon complete bistro 'menu://{day}' day fr`;

/** A prompt or a template, and the names of what can be completed there. */
async function findReference(
  client: Client,
  text: string,
  signal: AbortSignal,
): Promise<{ ref: CompletionReference; names: string[] }> {
  if (/[{:]/.test(text)) return { ref: { type: 'ref/resource', uri: text }, names: variablesOf(text) };
  const prompts = await promptsOf(client, signal);
  const prompt = prompts.find(({ name }) => name === text);
  if (prompt)
    return {
      ref: { type: 'ref/prompt', name: text },
      names: (prompt.arguments ?? []).map(({ name }) => name),
    };
  throw unknownPrompt(text, prompts);
}

function variablesOf(template: string): string[] {
  try {
    return [...parseTemplate(template).variables];
  } catch {
    return [];
  }
}

function unknownArgument(reference: string, name: string, names: readonly string[]): Error {
  const near = closest(name, names);
  const known = names.length > 0 ? `It has: ${names.map(plainLine).join(', ')}` : 'It has no arguments.';
  const next = near === undefined ? known : `Did you mean "${near}"?`;
  return usageError(`${plainLine(reference)} has no argument "${plainLine(name)}"`, next);
}

function readPair(text: string, previous: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(`--with "${plainLine(text)}" has no value`, 'Write it as --with name=value.');
  return { ...previous, [name]: value };
}
