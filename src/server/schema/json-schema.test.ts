import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../base/json.js';
import { connectTest } from '../../testing/index.js';
import { Server } from '../server.js';

/** What a client is told that calls a tool with a JSON Schema. */
async function call(properties: Record<string, JsonSchema>, args: object): Promise<string> {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('reserve', { input: { type: 'object', properties } }, () => 'reserved');
  const client = await connectTest(server);
  const { content } = await client.request('tools/call', { name: 'reserve', arguments: args });
  return (content as { text: string }[])[0]?.text as string;
}

describe('arguments of a tool with a JSON Schema', () => {
  it.each<[JsonSchema, unknown, string]>([
    [{ type: 'integer', minimum: 1 }, 0, 'guests must be at least 1'],
    [{ type: 'integer' }, 'two', 'guests must be an integer'],
    [{ type: ['integer', 'null'] }, 'two', 'guests must be an integer or null'],
    [{ enum: [2, 4] }, 3, 'guests must be one of 2, 4'],
    [{ items: { required: ['name'] } }, [{}], 'guests.0 must have the property "name"'],
    [{ items: { maxLength: 1 } }, ['Ann'], 'guests.0 must have at most 1 character'],
    [{ additionalProperties: false }, { pets: 1 }, 'guests.pets is not allowed'],
  ])('that do not fit %j are refused with the field and the rule', async (schema, guests, problem) => {
    expect(await call({ guests: schema }, { guests })).toBe(
      `invalid arguments for tool "reserve": ${problem}`,
    );
  });

  it('are checked in linear time, whatever the pattern', async () => {
    const started = performance.now();
    const code = { type: 'string', pattern: '^(a+)+$' };
    expect(await call({ code }, { code: `${'a'.repeat(100_000)}!` })).toBe(
      'invalid arguments for tool "reserve": code must match the pattern ^(a+)+$',
    );
    // A backtracking engine takes longer than the universe is old.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('are refused if they are too complex to check', async () => {
    const tree = { $ref: '#/$defs/tree' };
    const branch = { type: 'object', properties: { b: tree, $defs: {} } };
    const nested = JSON.parse(`${'{"b":'.repeat(240)}1${'}'.repeat(240)}`);
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const input = {
      type: 'object',
      properties: { b: { allOf: [{ allOf: [tree] }] } },
      $defs: { tree: { allOf: [branch] } },
    } as const;
    server.tool('plant', { input }, () => 'planted');
    const client = await connectTest(server);
    const result = await client.request('tools/call', { name: 'plant', arguments: nested });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('too complex to check: the value is nested too deeply') }],
    });
  });

  it('need not be of a format, which is a note for readers', async () => {
    expect(await call({ mail: { type: 'string', format: 'email' } }, { mail: 'ann' })).toBe('reserved');
  });
});
