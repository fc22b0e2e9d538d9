import { Validator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelTools, toModelTools } from '../../src/client/models/index.js';
import { type Client, connect } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { generatedTool, type Sample } from './generated.js';
import { RULES, type Vendor, violations } from './vendor-rules.js';

const TOOLS = fc.sample(generatedTool(), { numRuns: Number(process.env.MODEL_TOOLS ?? 200), seed: 7 });
/** Gives back the arguments that it got. */
const server = new Server({ name: 'generated', version: '1.0.0' });
for (const [at, { schema }] of TOOLS.entries()) {
  server.tool(`tool${at}`, { input: schema }, args => JSON.stringify(args));
}

interface Way {
  /** The name and the schema of each definition. */
  read: (definition: any) => [name: string, schema: Record<string, unknown>];
  create: (client: Client) => Promise<{ tools: ModelTools; definitions: any[] }>;
  call: (tools: any, name: string, sent: unknown) => Promise<string>;
  sent: (sample: Sample, definition: any) => unknown;
}

const WAYS: Record<Vendor, Way> = {
  'openai strict': {
    read: ({ name, parameters }) => [name, parameters],
    create: client => create(client, 'openai', true),
    call: async (tools, name, sent) =>
      (await tools.call({ call_id: '1', name, arguments: JSON.stringify(sent) })).output,
    sent: ({ value, strict }, definition) => (definition.strict ? strict : value),
  },
  openai: {
    read: ({ function: { name, parameters } }) => [name, parameters],
    create: client => create(client, 'openai-chat', false),
    call: async (tools, name, sent) =>
      (await tools.call({ id: '1', function: { name, arguments: JSON.stringify(sent) } })).content,
    sent: ({ value }) => value,
  },
  anthropic: {
    read: ({ name, input_schema }) => [name, input_schema],
    create: client => create(client, 'anthropic', true),
    call: async (tools, name, sent) => (await tools.call({ id: '1', name, input: sent })).content[0].text,
    sent: ({ value }) => value,
  },
  gemini: {
    read: ({ name, parametersJsonSchema }) => [name, parametersJsonSchema],
    create: async client => {
      const { tools, definitions } = await create(client, 'gemini', true);
      return { tools, definitions: definitions[0].functionDeclarations };
    },
    call: async (tools, name, sent) =>
      (await tools.call({ name, args: sent })).functionResponse.response.output,
    sent: ({ gemini }) => gemini,
  },
};

async function create(
  client: Client,
  format: 'openai' | 'openai-chat' | 'anthropic' | 'gemini',
  strict: boolean,
) {
  const tools = await toModelTools(client, { format, strict });
  return { tools: tools as ModelTools, definitions: tools.definitions as any[] };
}

let client: Client;
beforeAll(async () => {
  client = await connect(server);
});
afterAll(() => client.close());

describe.each(Object.keys(RULES) as Vendor[])('generated tools for %s', vendor => {
  const way = WAYS[vendor];
  let tools: ModelTools;
  let definitions: any[];
  beforeAll(async () => {
    ({ tools, definitions } = await way.create(client));
  });

  it('follow the published rules', () => {
    expect(definitions).toHaveLength(TOOLS.length);
    const found = definitions.map((definition, at) => {
      const isLoose = vendor === 'openai strict' && !definition.strict;
      const [name, schema] = way.read(definition);
      return { at, problems: violations(isLoose ? 'openai' : vendor, name, schema) };
    });
    expect(found.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('let the model send every value, and call the tool with exactly that value', async () => {
    for (const [at, { samples }] of TOOLS.entries()) {
      const [name, schema] = way.read(definitions[at]);
      const validator = new Validator(schema, '2020-12');
      for (const sample of samples) {
        const sent = JSON.parse(JSON.stringify(way.sent(sample, definitions[at])));
        expect(validator.validate(sent).errors, `tool${at} takes ${JSON.stringify(sent)}`).toEqual([]);
        const got = await way.call(tools, name, sent);
        expect(JSON.parse(got), `tool${at} with ${JSON.stringify(sent)}`).toEqual(sample.value);
      }
    }
  });
});

it('most generated tools become strict functions', async () => {
  const { definitions } = await create(client, 'openai', true);
  expect(definitions.filter(({ strict }) => strict).length).toBeGreaterThan(TOOLS.length * 0.95);
});

it('generated schemas keep the names in them, where Anthropic gets another name at the top', async () => {
  const tools = TOOLS.map(({ schema: { $defs, ...inner } }, at) => ({
    name: `tool${at}`,
    inputSchema: {
      type: 'object',
      properties: {
        'the order': inner,
        again: { $ref: '#/properties/the%20order' },
        next: { $ref: '#' },
      },
      required: ['the order'],
      additionalProperties: false,
      ...($defs !== undefined && { $defs }),
    },
  }));
  const source = { tools: async () => tools, callTool: async () => ({ content: [] }) };
  const { definitions, resolve } = await toModelTools(source, { format: 'anthropic' });
  for (const [at, { samples }] of TOOLS.entries()) {
    const { name, input_schema } = definitions[at] as (typeof definitions)[number];
    expect(violations('anthropic', name, input_schema)).toEqual([]);
    const [modelName = ''] = Object.keys(input_schema.properties as object);
    const validator = new Validator(input_schema, '2020-12');
    for (const { value } of samples) {
      const rest = { again: value, next: { 'the order': value, next: { 'the order': value } } };
      const input = JSON.parse(JSON.stringify({ [modelName]: value, ...rest }));
      expect(validator.validate(input).errors, `${name} takes ${JSON.stringify(input)}`).toEqual([]);
      expect(validator.validate({ ...input, next: { [modelName]: value } }).valid).toBe(false);
      const { arguments: args } = resolve({ id: '1', name, input });
      expect(args).toEqual(JSON.parse(JSON.stringify({ 'the order': value, ...rest })));
    }
  }
});
