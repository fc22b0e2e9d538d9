import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelFormat, toModelTools } from '../../src/client/models/index.js';
import { type Client, connect } from '../../src/node/client/index.js';
import type { Tool } from '../../src/vocabulary/index.js';
import { ROOT } from '../architecture/sources.js';
import { EVERYTHING } from '../interop-client/servers/child.js';
import { type Vendor, violations } from './vendor-rules.js';

/** Schemas that others wrote: of every draft, with recursion, and very large ones. */
const DOCUMENTS = [
  'ajv/lib/refs/json-schema-draft-06.json',
  'ajv/lib/refs/json-schema-draft-07.json',
  'ajv/lib/refs/json-schema-secure.json',
  'ajv/lib/refs/data.json',
  'ajv/lib/refs/json-schema-2019-09/schema.json',
  'ajv/lib/refs/json-schema-2020-12/schema.json',
  'ajv/lib/refs/json-schema-2020-12/meta/applicator.json',
  '@biomejs/biome/configuration_schema.json',
];

/** The names and schemas of the functions that tools become, by the rules that are to hold for them. */
async function functionsFor(
  source: Parameters<typeof toModelTools>[0],
): Promise<{ vendor: Vendor; name: string; schema: Record<string, unknown> }[]> {
  const create = <F extends ModelFormat>(format: F, strict = true) =>
    toModelTools(source, { format, strict });
  const [strict, loose, anthropic, gemini] = await Promise.all([
    create('openai'),
    create('openai-chat', false),
    create('anthropic'),
    create('gemini'),
  ]);
  return [
    ...strict.definitions.map(({ name, parameters, strict }) => ({
      vendor: strict ? ('openai strict' as const) : ('openai' as const),
      name,
      schema: parameters,
    })),
    ...loose.definitions.map(({ function: { name, parameters } }) => ({
      vendor: 'openai' as const,
      name,
      schema: parameters,
    })),
    ...anthropic.definitions.map(({ name, input_schema }) => ({
      vendor: 'anthropic' as const,
      name,
      schema: input_schema,
    })),
    ...(gemini.definitions[0]?.functionDeclarations ?? []).map(({ name, parametersJsonSchema }) => ({
      vendor: 'gemini' as const,
      name,
      schema: parametersJsonSchema,
    })),
  ];
}

function broken(functions: Awaited<ReturnType<typeof functionsFor>>): unknown[] {
  return functions
    .map(({ vendor, name, schema }) => ({ vendor, name, problems: violations(vendor, name, schema) }))
    .filter(({ problems }) => problems.length > 0);
}

describe('the tools of server-everything', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connect({ command: process.execPath, args: [`${ROOT}/${EVERYTHING}`, 'stdio'] });
  });
  afterAll(() => client?.close());

  it('follow the rules of every vendor', async () => {
    const functions = await functionsFor(client);
    expect(functions.length).toBeGreaterThan(40);
    expect(broken(functions)).toEqual([]);
  });

  it('are called by every vendor', async () => {
    const sum = { a: 2, b: 40 };
    const text = JSON.stringify(sum);
    const openai = await toModelTools(client, { format: 'openai' });
    expect(await openai.call({ call_id: 'c1', name: 'get-sum', arguments: text })).toEqual({
      type: 'function_call_output',
      call_id: 'c1',
      output: expect.stringContaining('42'),
    });
    const chat = await toModelTools(client, { format: 'openai-chat' });
    expect(await chat.call({ id: 'c2', function: { name: 'get-sum', arguments: text } })).toEqual({
      role: 'tool',
      tool_call_id: 'c2',
      content: expect.stringContaining('42'),
    });
    const anthropic = await toModelTools(client, { format: 'anthropic' });
    expect(await anthropic.call({ id: 'c3', name: 'get-sum', input: sum })).toEqual({
      type: 'tool_result',
      tool_use_id: 'c3',
      content: [{ type: 'text', text: expect.stringContaining('42') }],
    });
    const gemini = await toModelTools(client, { format: 'gemini' });
    expect(await gemini.call({ id: 'c4', name: 'get-sum', args: sum })).toEqual({
      functionResponse: { id: 'c4', name: 'get-sum', response: { output: expect.stringContaining('42') } },
    });
  });
});

it.each(DOCUMENTS)('%s as the schema of a tool follows the rules of every vendor', async path => {
  const inputSchema = JSON.parse(readFileSync(`${ROOT}/node_modules/${path}`, 'utf8'));
  const tools: Tool[] = [{ name: 'check', inputSchema }];
  const functions = await functionsFor({
    tools: async () => tools,
    callTool: async () => ({ content: [] }),
  });
  expect(functions).toHaveLength(4);
  expect(broken(functions)).toEqual([]);
});
