import type { Command } from 'commander';
import type { Client } from 'tenon/client';
import type { GetPromptResult, JsonSchema, Prompt } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { usageError } from '../failure.js';
import { promptsOf, unknownPrompt } from '../listing/prompts.js';
import { askField } from '../questions/ask-field.js';
import { canAsk, Left } from '../questions/prompting.js';
import { collect } from '../repeated.js';
import { readArguments } from '../schema/read-arguments.js';
import { type Target, targetArgument } from '../target.js';
import { showContent } from '../terminal/content.js';
import { plainLine } from '../terminal/plain-text.js';
import { Saver } from '../terminal/save.js';

interface PromptFlags extends ConnectionFlags {
  readonly arg?: readonly string[];
  readonly save?: string;
}

export function definePrompt(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .usage('<target> <name> [--argument value …] [options]')
      .addArgument(targetArgument(cli))
      .argument('<name>', 'the name of the prompt')
      .argument('[arguments...]', 'the arguments of the prompt: --name value …')
      .allowUnknownOption()
      .option('--arg <name=value>', 'one argument, also where its name is that of an option here', collect)
      .option('--save <path>', 'save pictures and files into this file or folder'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (target: Target, name: string, words: string[], flags: PromptFlags) => {
      const result = await withClient(cli, target, flags, {}, async client => {
        const prompt = await findPrompt(client, name, cli.signal);
        const args = await gather(prompt, words, flags.arg ?? [], cli);
        return client.getPrompt(name, args, { signal: cli.signal });
      });
      show(result, new Saver(flags.save), cli);
    });
}

const EXAMPLES = `
Examples:
  tenon prompt https://bistro.example/mcp greet
  tenon prompt bistro plan_dinner --day friday --dish quiche
  tenon prompt bistro plan_dinner --day friday --dish quiche --json`;

async function findPrompt(client: Client, name: string, signal: AbortSignal): Promise<Prompt> {
  const prompts = await promptsOf(client, signal);
  const prompt = prompts.find(one => one.name === name);
  if (prompt) return prompt;
  throw unknownPrompt(name, prompts);
}

/** Arguments of prompts are texts. */
async function gather(
  { name: prompt, arguments: list = [] }: Prompt,
  words: readonly string[],
  pairs: readonly string[],
  cli: Cli,
): Promise<Record<string, string>> {
  const fields = list.map(
    ({ name, title, description }) => [name, { type: 'string', title, description }] as const,
  );
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(fields),
    additionalProperties: false,
  };
  if (list.length === 0 && words.length > 0)
    throw usageError(`the prompt ${plainLine(prompt)} takes no arguments`);
  const args = readArguments(words, pairs, schema) as Record<string, string>;
  const missing = list
    .filter(({ name, required }) => required && !Object.hasOwn(args, name))
    .map(({ name }) => name);
  if (missing.length > 0 && (!canAsk() || cli.output.isJson)) {
    const listed = missing.map(name => `--${plainLine(name)}`).join(', ');
    throw usageError(
      `the prompt ${plainLine(prompt)} needs ${listed}`,
      'Give what is missing, and try again.',
    );
  }
  for (const name of missing) args[name] = await ask(name, schema, cli);
  return args;
}

async function ask(name: string, schema: JsonSchema, cli: Cli): Promise<string> {
  const field = { name, schema: (schema.properties as JsonSchema)[name], root: schema, isRequired: true };
  try {
    return (await askField(field, cli)) as string;
  } catch (error) {
    if (error instanceof Left) throw usageError('the prompt was not read, because arguments are missing');
    throw error;
  }
}

function show({ description, messages, ...rest }: GetPromptResult, saver: Saver, { output }: Cli): void {
  if (output.isJson) return output.json({ ...(description && { description }), messages, ...rest });
  const { bold, dim } = output.colours;
  if (description) output.print(dim(plainLine(description)));
  for (const { role, content } of messages) {
    output.print(bold(`${role}:`));
    showContent([content], output, saver);
  }
}
