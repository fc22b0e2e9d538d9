import { readFileSync } from 'node:fs';
import type { Tool } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { usageError } from '../failure.js';
import { canAsk, Left } from '../questions/prompting.js';
import { describeType } from '../schema/describe-type.js';
import { type Arguments, readArguments } from '../schema/read-arguments.js';
import { propertiesOf, requiredOf, resolveSchema } from '../schema/resolve.js';
import { plainLine } from '../terminal/plain-text.js';
import type { CallFlags } from './call-flags.js';

/** Puts the arguments of a call together: from JSON, a file or standard input, from options, and by asking. */
export async function gatherArguments(
  tool: Tool,
  words: readonly string[],
  flags: CallFlags,
  cli: Cli,
): Promise<Arguments> {
  const sources = words.filter(word => word === '-' || /^@./.test(word));
  const options = words.filter(word => !sources.includes(word));
  const whole = [...(flags.args === undefined ? [] : [flags.args]), ...sources.map(readSource)];
  const given = Object.assign(
    {},
    ...whole.map(readJson),
    readArguments(options, flags.arg ?? [], tool.inputSchema),
  );
  return { ...given, ...(await askForMissing(tool, given, cli)) };
}

/** `@file` or `-`, as they stand for their text. */
function readSource(word: string): string {
  try {
    return readFileSync(word === '-' ? 0 : word.slice(1), 'utf8');
  } catch (error) {
    throw usageError(
      `cannot read ${plainLine(word)}: ${(error as Error).message}`,
      'Write @ and the path of a JSON file.',
    );
  }
}

function readJson(text: string): Arguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `the arguments are not JSON: ${(error as Error).message}`,
      `Write them as '{"name": "value"}'.`,
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
  throw usageError('the arguments are JSON, but no object', `Write them as '{"name": "value"}'.`);
}

async function askForMissing(
  { name: tool, inputSchema }: Tool,
  given: Arguments,
  cli: Cli,
): Promise<Arguments> {
  const schema = resolveSchema(inputSchema, inputSchema);
  const missing = requiredOf(schema).filter(name => !Object.hasOwn(given, name));
  if (missing.length === 0) return {};
  const properties = propertiesOf(schema);
  if (!canAsk() || cli.output.isJson) {
    const listed = missing.map(
      name => `--${plainLine(name)} (${describeType(properties.get(name), inputSchema)})`,
    );
    throw usageError(
      `the tool ${plainLine(tool)} needs ${listed.join(', ')}`,
      'Give what is missing, and call it again.',
    );
  }
  const { askField } = await import('../questions/ask-field.js');
  const answers: [string, unknown][] = [];
  try {
    for (const name of missing) {
      const field = { name, schema: properties.get(name), root: inputSchema, isRequired: true };
      answers.push([name, await askField(field, cli)]);
    }
  } catch (error) {
    if (error instanceof Left) throw usageError('the tool was not called, because arguments are missing');
    throw error;
  }
  return Object.fromEntries(answers);
}
