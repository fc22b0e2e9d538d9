import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Schema, Server, UsageError } from '../../src/server/index.js';
import { connectTest } from '../../src/testing/index.js';

/** The same arguments, described in each of the ways there are. */
const INPUTS: Record<string, Schema> = {
  'zod 4': z.object({ guests: z.number().int().min(1), room: z.enum(['inside', 'outside']).optional() }),
  valibot: toStandardJsonSchema(
    v.object({
      guests: v.pipe(v.number(), v.integer(), v.minValue(1)),
      room: v.optional(v.picklist(['inside', 'outside'])),
    }),
  ),
  arktype: type({ guests: 'number.integer >= 1', 'room?': "'inside' | 'outside'" }),
  'JSON Schema': {
    type: 'object',
    properties: { guests: { type: 'integer', minimum: 1 }, room: { enum: ['inside', 'outside'] } },
    required: ['guests'],
  },
};

describe.each(Object.entries(INPUTS))('a tool described with %s', (_, input) => {
  async function connect() {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('reserve', { input, output: input }, args => args as never);
    return connectTest(server);
  }

  async function call(args: object) {
    const client = await connect();
    return client.request('tools/call', { name: 'reserve', arguments: args });
  }

  it('tells its schema', async () => {
    const { tools } = await (await connect()).request('tools/list');
    const described = {
      type: 'object',
      properties: { guests: { type: 'integer', minimum: 1 }, room: { enum: ['inside', 'outside'] } },
      required: ['guests'],
    };
    const sorted = JSON.parse(JSON.stringify(tools), (key, value) =>
      key === 'enum' ? [...value].sort() : value,
    );
    expect(sorted).toMatchObject([{ inputSchema: described, outputSchema: described }]);
  });

  it('is called with arguments that fit', async () => {
    const args = { guests: 2, room: 'inside' };
    expect(await call(args)).toMatchObject({
      structuredContent: args,
      content: [{ text: JSON.stringify(args) }],
    });
    expect(await call({ guests: 2 })).toMatchObject({ structuredContent: { guests: 2 } });
  });

  it.each([
    [{ guests: 0 }, /guests.*1/],
    [{ guests: 1.5 }, /guests.*int/],
    [{ guests: 'two' }, /guests.*(number|integer)/],
    [{}, /guests/],
    [{ guests: 1, room: 'roof' }, /room/],
  ])('says in one line what is wrong with %j', async (args, problem) => {
    const result = await call(args);
    expect(result.isError).toBe(true);
    const { text } = (result.content as { text: string }[])[0] as { text: string };
    expect(text).toMatch(/^invalid arguments for tool "reserve": /);
    expect(text).toMatch(problem);
    expect(text).not.toContain('\n');
    expect(text.length).toBeLessThan(200);
  });
});

describe('a schema that cannot be used', () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });

  it('of valibot alone is refused with the remedy', () => {
    expect(() => server.tool('a', { input: v.object({ n: v.number() }) }, () => '')).toThrow(
      'the input of tool "a": this valibot schema does not provide its JSON Schema; ' +
        'wrap it with toStandardJsonSchema() from @valibot/to-json-schema 1.5 or newer',
    );
  });

  it('of another library without JSON Schema is refused with a remedy', () => {
    const schema = {
      '~standard': { version: 1 as const, vendor: 'other', validate: (value: unknown) => ({ value }) },
    };
    expect(() => server.tool('a', { output: schema }, () => '')).toThrow(
      'the output of tool "a": this other schema does not provide its JSON Schema; ' +
        'use a version that offers "~standard".jsonSchema, or pass a plain JSON Schema',
    );
  });

  // covers: 2025-11-25/basic/unknown-dialect-is-an-error, 2026-07-28/basic/unknown-dialect-is-an-error
  it('because it is of another dialect is refused', () => {
    const input = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } as const;
    expect(() => server.tool('a', { input }, () => '')).toThrow(
      'the input of tool "a" is of the JSON Schema dialect http://json-schema.org/draft-07/schema#, which is not supported; ' +
        'use https://json-schema.org/draft/2020-12/schema',
    );
  });

  // covers: 2025-11-25/basic/schemas-are-valid, 2026-07-28/basic/no-network-references
  // covers: 2026-07-28/basic/schemas-are-valid
  it.each([
    [
      'is no JSON Schema',
      { type: 'object', properties: { a: { type: 'nonsense' } } },
      'the input of tool "a": schema refused at #/properties/a/type: must be one or more of the seven types',
    ],
    [
      'points outside of itself',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
      'the input of tool "a": schema refused at #/properties/a/$ref: "https://example.com/a.json" is not in this ' +
        'document; external references are not followed',
    ],
    [
      'has a pattern that cannot be tested in linear time',
      { type: 'object', properties: { a: { type: 'string', pattern: 'a(?=b)' } } },
      'the input of tool "a": schema refused at #/properties/a/pattern: a(?=b) looks around or back, so it cannot be ' +
        'tested in linear time: split it into several patterns with "allOf" and "not", or use a schema library',
    ],
  ])(
    'because it %s is reported when the server starts, and nothing gets past it',
    async (_, input, message) => {
      const reported: { error: unknown; where: string }[] = [];
      const broken = new Server(
        { name: 'bistro', version: '1.0.0' },
        { onError: (error, where) => reported.push({ error, where }) },
      );
      let ran = false;
      broken.tool('fine', {}, () => 'fine');
      broken.tool('a', { input }, () => {
        ran = true;
      });
      await expect.poll(() => reported).toHaveLength(1);
      expect(reported[0]?.where).toBe('the input of tool "a"');
      expect(reported[0]?.error).toBeInstanceOf(UsageError);
      expect(reported[0]).toMatchObject({ error: { message } });
      const client = await connectTest(broken);
      expect((await client.tools()).map(({ name }) => name)).toEqual(['fine']);
      await expect(client.request('tools/call', { name: 'a', arguments: {} })).rejects.toThrow(
        'unknown tool: a',
      );
      expect(ran).toBe(false);
    },
  );
});
