import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { type ModelFormat, toModelTools } from '../../src/client/models/index.js';
import type { JsonObject } from '../../src/vocabulary/index.js';
import { type Vendor, violations } from './vendor-rules.js';

const strictly: Vendor = 'openai strict';

/** The definition of one tool, and the arguments that a call of the model gives. */
async function rewrite<F extends ModelFormat>(format: F, inputSchema: JsonObject, strict = true) {
  const source = { tools: async () => [{ name: 't', inputSchema }], callTool: async () => ({ content: [] }) };
  return toModelTools(source, { format, strict });
}

async function strictFunction(inputSchema: JsonObject) {
  const tools = await rewrite('openai', inputSchema);
  const [definition] = tools.definitions;
  const restored = (sent: unknown) =>
    tools.resolve({ call_id: '1', name: 't', arguments: JSON.stringify(sent) }).arguments;
  return { ...(definition as NonNullable<typeof definition>), restored };
}

describe('a strict function of OpenAI', () => {
  it('has null for what may be left out', async () => {
    const { parameters, restored } = await strictFunction({
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'], default: 'C' } },
      required: ['city'],
    });
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: {
          anyOf: [{ type: 'string', enum: ['C', 'F'] }, { type: 'null' }],
          description: 'Default: "C"',
        },
      },
      required: ['city', 'unit'],
      additionalProperties: false,
    });
    expect(restored({ city: 'Paris', unit: null })).toEqual({ city: 'Paris' });
    expect(restored({ city: 'Paris', unit: 'F' })).toEqual({ city: 'Paris', unit: 'F' });
  });

  it('tells null from what is left out, where the tool takes both', async () => {
    const { restored, parameters } = await strictFunction({
      type: 'object',
      properties: { assignee: { type: ['string', 'null'] } },
    });
    expect(violations(strictly, 't', parameters)).toEqual([]);
    expect(restored({ assignee: null })).toEqual({});
    expect(restored({ assignee: { value: null } })).toEqual({ assignee: null });
    expect(restored({ assignee: { value: 'Ada' } })).toEqual({ assignee: 'Ada' });
  });

  it('takes schemas that refer to themselves', async () => {
    const { parameters, strict, restored } = await strictFunction({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      $defs: {
        node: {
          type: 'object',
          properties: {
            label: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['label'],
        },
      },
    });
    expect(strict).toBe(true);
    expect(violations(strictly, 't', parameters)).toEqual([]);
    const leaf = { label: 'leaf', children: null };
    expect(restored({ tree: { label: 'root', children: [leaf] } })).toEqual({
      tree: { label: 'root', children: [{ label: 'leaf' }] },
    });
  });

  it('keeps several schemas that refer to themselves apart', async () => {
    const list = (label: object, name: string) => ({
      type: 'object',
      properties: { label, next: { $ref: `#/$defs/${name}` } },
      required: ['label'],
    });
    const { parameters, restored } = await strictFunction({
      type: 'object',
      properties: { wrapped: { $ref: '#/$defs/wrapper' }, words: { $ref: '#/$defs/words' } },
      required: ['wrapped', 'words'],
      $defs: {
        wrapper: {
          type: 'object',
          properties: { numbers: { $ref: '#/$defs/numbers' } },
          required: ['numbers'],
        },
        numbers: list({ type: 'number' }, 'numbers'),
        words: list({ type: 'string', minLength: 2 }, 'words'),
      },
    });
    expect(violations(strictly, 't', parameters)).toEqual([]);
    expect(Object.keys(parameters.$defs as object)).toHaveLength(2);
    const numbers = { label: 1, next: { label: 2, next: null } };
    const words = { label: 'one', next: { label: 'two', next: null } };
    expect(restored({ wrapped: { numbers }, words })).toEqual({
      wrapped: { numbers: { label: 1, next: { label: 2 } } },
      words: { label: 'one', next: { label: 'two' } },
    });
  });

  it('writes values of any type as JSON text, also beside strings', async () => {
    const { restored, parameters } = await strictFunction({
      type: 'object',
      properties: { data: {}, either: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
      required: ['data', 'either'],
    });
    expect(violations(strictly, 't', parameters)).toEqual([]);
    expect(restored({ data: '[1]', either: '"{}"' })).toEqual({ data: [1], either: '{}' });
    expect(restored({ data: 'null', either: '{}' })).toEqual({ data: null, either: {} });
  });

  it('restores the items of a list by their places', async () => {
    const { restored, parameters } = await strictFunction({
      type: 'object',
      properties: {
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'string' } } }],
        },
      },
      required: ['pair'],
    });
    expect(violations(strictly, 't', parameters)).toEqual([]);
    expect(restored({ pair: ['42', { a: null }, '43'] })).toEqual({ pair: ['42', {}, '43'] });
  });

  it('tells in the description what it cannot express', async () => {
    const { parameters } = await strictFunction({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'A name.', minLength: 2, format: 'uri', pattern: '^(?!x)' },
        many: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        even: { type: 'integer', not: { const: 3 } },
      },
      required: ['name', 'many', 'even'],
      dependentRequired: { name: ['many'] },
    });
    expect(violations(strictly, 't', parameters)).toEqual([]);
    expect(parameters.properties).toMatchObject({
      name: {
        description:
          'A name.\nMust also match this JSON Schema: {"minLength":2,"format":"uri","pattern":"^(?!x)"}',
      },
      many: { description: 'Must also match this JSON Schema: {"uniqueItems":true}' },
      even: { description: 'Must also match this JSON Schema: {"not":{"const":3}}' },
    });
    expect(parameters.description).toContain('dependentRequired');
  });

  it.each([
    ['takes any arguments', { type: 'object' }],
    ['names arguments by a pattern', { type: 'object', properties: {}, patternProperties: { '^x': {} } }],
    ['is too deep', deep(12)],
    ['has too many properties', wide(5001)],
    ['has too many values in an enum', { type: 'object', properties: { e: { enum: words(1001) } } }],
    [
      'is its own alternative',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } },
      },
    ],
  ])('is not strict if the schema %s', async (_, schema) => {
    const { strict, parameters } = await strictFunction(schema);
    expect(strict).toBe(false);
    expect(violations('openai', 't', parameters)).toEqual([]);
  });
});

describe.each(['openai-chat', 'anthropic', 'gemini'] as const)('a function for %s', format => {
  it('gathers alternatives at the top, and tells them in the description', async () => {
    const { definitions } = await rewrite(
      format,
      {
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'id' }, id: { type: 'integer' } },
            required: ['kind', 'id'],
          },
          { $ref: '#/$defs/named' },
        ],
        $defs: {
          named: {
            type: 'object',
            properties: { kind: { const: 'name' }, name: { type: 'string' } },
            required: ['kind', 'name'],
          },
        },
      },
      false,
    );
    const { name, description, schema } = read(definitions[0]);
    expect(violations(format === 'openai-chat' ? 'openai' : format, name, schema)).toEqual([]);
    expect(Object.keys(schema.properties as object)).toEqual(['kind', 'id', 'name']);
    expect(schema.required).toEqual(['kind']);
    expect(description).toContain('must match exactly one of these JSON Schemas');
    expect(description).toContain('"const":"name"');
  });

  it('goes by a reference alone where its draft hides the keywords beside it', async () => {
    const { definitions } = await rewrite(format, {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { size: { $ref: '#/definitions/size', type: 'integer', description: 'How large' } },
      definitions: { size: { type: 'string', enum: ['S', 'L'] } },
    });
    const text = JSON.stringify(definitions);
    expect(text).toContain('"enum":["S","L"]');
    expect(text).toContain('How large');
    expect(text).not.toContain('integer');
  });

  it('takes what an older draft wrote', async () => {
    const { definitions } = await rewrite(
      format,
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        id: 'http://example.com/a',
        type: 'object',
        properties: {
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          above: { type: 'number', minimum: 0, exclusiveMinimum: true },
          odd: { type: 'any', required: true },
          far: { $ref: 'http://example.com/other.json' },
        },
        dependencies: { pair: ['above'] },
      },
      false,
    );
    const { name, schema } = read(definitions[0]);
    expect(violations(format === 'openai-chat' ? 'openai' : format, name, schema)).toEqual([]);
    expect(JSON.stringify(schema)).toContain('http://example.com/other.json is not known');
  });
});

it.each([
  ['anthropic', ['first name', 'naïve', 'x'.repeat(65), '__proto__', 'ok.name']],
  ['gemini', ['first name', 'kebab-case', '1st', 'x'.repeat(65), '__proto__']],
] as const)('%s gets other names for properties, and the tool its own', async (format, names) => {
  const properties = Object.fromEntries(names.map(name => [name, { type: 'string' }]));
  const tools = await rewrite(format, { type: 'object', properties, required: [...names] });
  const { schema } = read(tools.definitions[0]);
  expect(violations(format, 't', schema)).toEqual([]);
  const sent = Object.fromEntries(
    Object.entries(schema.properties as Record<string, { description?: string }>).map(
      ([name, { description }]) => {
        const own = /Its name is (".*")\./.exec(description ?? '')?.[1];
        return [name, own === undefined ? name : JSON.parse(own)];
      },
    ),
  );
  const call = { id: '1', name: 't', input: sent, args: sent };
  const { arguments: args } = tools.resolve(call);
  expect(Object.keys(args ?? {}).sort()).toEqual([...names].sort());
  for (const [name, value] of Object.entries(args ?? {})) expect(value).toBe(name);
});

it('anthropic gets references beside other names for properties, and the tool its own names in them', async () => {
  const item = { type: 'object', properties: { 'my q': { type: 'number' } }, required: ['my q'] };
  const tools = await rewrite('anthropic', {
    type: 'object',
    properties: {
      'a b': { type: 'string' },
      next: { $ref: '#' },
      'x y': { type: 'array', items: item },
      z: { $ref: '#/properties/x%20y/items' },
      'my z': { $ref: '#/properties/z' },
    },
    required: ['a b'],
  });
  const { schema } = read(tools.definitions[0]);
  expect(violations('anthropic', 't', schema)).toEqual([]);
  const names = Object.keys(schema.properties as object);
  const [first = '', , list = '', , last = ''] = names;
  const validator = new Validator(schema, '2020-12');
  const value = { 'a b': '1', 'x y': [{ 'my q': 1 }], z: { 'my q': 2 }, 'my z': { 'my q': 3 } };
  const sent = {
    [first]: '0',
    next: value,
    [list]: [{ 'my q': 4 }],
    z: { 'my q': 5 },
    [last]: { 'my q': 6 },
  };
  expect(validator.validate(sent).errors).toEqual([]);
  expect(validator.validate({ [first]: '0', next: { [first]: '1' } }).valid).toBe(false);
  expect(validator.validate({ [first]: '0', z: {} }).valid).toBe(false);
  expect(tools.resolve({ id: '1', name: 't', input: sent }).arguments).toEqual({
    'a b': '0',
    next: value,
    'x y': [{ 'my q': 4 }],
    z: { 'my q': 5 },
    'my z': { 'my q': 6 },
  });
});

it.each(['openai', 'openai-chat', 'anthropic', 'gemini'] as const)(
  '%s gets references by name',
  async format => {
    const tools = await rewrite(format, {
      $id: 'https://shop.example/order',
      type: 'object',
      properties: {
        byAnchor: { $ref: '#dish' },
        byId: { $ref: 'day' },
        byPointer: { $ref: 'day#/$defs/hour' },
        byAddress: { $ref: 'https://shop.example/order#/$defs/a~1b' },
        nowhere: { $ref: 'other' },
      },
      required: ['byAnchor', 'byId', 'byPointer', 'byAddress', 'nowhere'],
      additionalProperties: false,
      $defs: {
        'a/b': { $anchor: 'dish', type: 'string', description: 'A dish' },
        day: {
          $id: 'day',
          type: 'object',
          properties: { hour: { $ref: '#/$defs/hour' } },
          required: ['hour'],
          additionalProperties: false,
          $defs: { hour: { type: 'integer', description: 'An hour' } },
        },
      },
    });
    const { name, schema } = read(tools.definitions[0]);
    const vendor = format === 'openai' ? strictly : format === 'openai-chat' ? 'openai' : format;
    expect(violations(vendor, name, schema)).toEqual([]);
    const text = JSON.stringify(schema);
    expect(text).toContain('An hour');
    expect(text.match(/The schema \w+ is not known/g)).toEqual(['The schema other is not known']);
    const validator = new Validator(schema, '2020-12');
    const right = { byAnchor: 'Soup', byId: { hour: 9 }, byPointer: 9, byAddress: 'Soup', nowhere: '1' };
    expect(validator.validate(right).errors).toEqual([]);
    for (const wrong of [{ byAnchor: 1 }, { byId: { hour: 'x' } }, { byPointer: 'x' }, { byAddress: 1 }])
      expect(validator.validate({ ...right, ...wrong }).valid, JSON.stringify(wrong)).toBe(false);
  },
);

it('Gemini gets recursion as JSON text', async () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
  const tools = await rewrite('gemini', {
    type: 'object',
    properties: { list: { $ref: '#/$defs/node' } },
    $defs: { node },
  });
  const { schema } = read(tools.definitions[0]);
  expect(violations('gemini', 't', schema)).toEqual([]);
  const { arguments: args } = tools.resolve({ name: 't', args: { list: { next: '{"next":{}}' } } });
  expect(args).toEqual({ list: { next: { next: {} } } });
});

it.each([
  ['a schema of 250 levels', nested(250)],
  ['references that double at each of 40 steps', doubling(40)],
  ['no object at all', 'text' as unknown as JsonObject],
])('%s still gives a function that can be called', async (_, schema) => {
  for (const format of ['openai', 'anthropic', 'gemini'] as const) {
    const { definitions } = await rewrite(format, schema);
    expect(definitions).toHaveLength(1);
  }
});

function read(definition: any): { name: string; description?: string; schema: JsonObject } {
  const inner = definition.function ?? definition.functionDeclarations?.[0] ?? definition;
  return { ...inner, schema: inner.parameters ?? inner.input_schema ?? inner.parametersJsonSchema };
}

function deep(levels: number): JsonObject {
  return {
    type: 'object',
    properties: levels > 0 ? { in: deep(levels - 1) } : {},
    additionalProperties: false,
  };
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let at = 0; at < levels; at++) schema = { type: 'object', properties: { in: schema } };
  return schema;
}

function wide(count: number): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(words(count).map(name => [name, { type: 'null' }])),
  };
}

function words(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `w${at}`);
}

function doubling(steps: number): JsonObject {
  const $defs = Object.fromEntries(
    words(steps).map((name, at) => {
      const next = { $ref: `#/$defs/w${at + 1}` };
      return [
        name,
        at === steps - 1 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } },
      ];
    }),
  );
  return { type: 'object', properties: { start: { $ref: '#/$defs/w0' } }, $defs };
}

it('Gemini can send properties whose names match a pattern, also where no others are allowed', async () => {
  const headers = (more: object) => ({
    type: 'object',
    patternProperties: { '^x-': { type: 'string' }, '^n-': { type: 'integer' } },
    ...more,
  });
  const tools = await rewrite('gemini', {
    type: 'object',
    properties: {
      closed: headers({ additionalProperties: false }),
      typed: headers({ additionalProperties: { type: 'boolean' } }),
      open: headers({}),
      bare: { type: 'object', patternProperties: { '^x-': false }, additionalProperties: false },
    },
    patternProperties: { '^y-': { type: 'number' } },
    additionalProperties: false,
  });
  const { schema } = read(tools.definitions[0]);
  expect(violations('gemini', 't', schema)).toEqual([]);
  const sent = { closed: { 'x-a': 'b', 'n-a': 1 }, typed: { z: true }, open: { z: 'z' }, 'y-a': 1 };
  expect(new Validator(schema, '2020-12').validate(sent).valid).toBe(true);
  expect(new Validator(schema, '2020-12').validate({ closed: { 'x-a': true } }).valid).toBe(false);
  expect(new Validator(schema, '2020-12').validate({ bare: { 'x-a': 1 } }).valid).toBe(false);
  expect(tools.resolve({ name: 't', args: sent }).arguments).toEqual(sent);
  expect(JSON.stringify(schema)).toContain('\\"additionalProperties\\":false');
});

it('Gemini reads in the description which texts are accepted, if one of them is empty', async () => {
  const tools = await rewrite('gemini', {
    type: 'object',
    properties: { sort: { enum: ['', 'name'] }, none: { const: '' }, both: { enum: ['', true, 1, null] } },
  });
  const { schema } = read(tools.definitions[0]);
  expect(violations('gemini', 't', schema)).toEqual([]);
  expect(JSON.stringify(schema)).toContain('Must be \\"\\" or \\"name\\".');
  const args = { sort: '', none: '', both: '' };
  expect(tools.resolve({ name: 't', args }).arguments).toEqual(args);
});

it.each([true, false])('OpenAI gets no pattern that looks around, strict or not (%s)', async strict => {
  const pattern = '^(?=.*[0-9])(?<!x).+$';
  const tools = await rewrite(
    'openai',
    {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'A code', pattern },
        codes: { type: 'array', items: { $ref: '#/$defs/code' } },
        plain: { type: 'string', pattern: '^(?:a|b)$' },
        map: {
          type: 'object',
          patternProperties: { '^(?!x)': { $ref: '#/$defs/code' } },
          additionalProperties: false,
        },
      },
      $defs: { code: { type: 'string', pattern } },
    },
    strict,
  );
  const [definition] = tools.definitions;
  expect(definition?.strict).toBe(strict);
  expect(violations(strict ? strictly : 'openai', 't', definition?.parameters ?? {})).toEqual([]);
  const text = JSON.stringify(definition?.parameters);
  expect(text).toContain('"pattern":"^(?:a|b)$"');
  expect(text).toContain('A code\\nMust also match this JSON Schema');
  expect(text).toContain('(?!x)');
});

it.each([
  ['openai', true],
  ['openai', false],
  ['openai-chat', false],
  ['anthropic', false],
  ['gemini', false],
] as const)(
  '%s, strict: %s, gets an object with `properties` for a tool whose schema has none',
  async (format, strict) => {
    for (const inputSchema of [
      { type: 'object' },
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: { type: 'string' } },
    ]) {
      const tools = await rewrite(format, inputSchema, strict);
      expect(read(tools.definitions[0]).schema).toMatchObject({ type: 'object', properties: {} });
    }
  },
);
