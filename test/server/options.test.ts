import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe('roundLifetimeMs', () => {
  /** Answers a question after half an hour. */
  async function answerLate(options: ServerOptions): Promise<unknown> {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
    server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('How many?', z.object({}))).action);
    const client = await connectRaw(server, { capabilities: { elicitation: {} } });
    const { requestState } = await client.request('tools/call', { name: 'ask' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * MINUTE });
    const inputResponses = { q0: { action: 'decline' } };
    return client.request('tools/call', { name: 'ask', requestState, inputResponses });
  }

  it('is how long a client may take to answer', async () => {
    expect(await answerLate({ roundLifetimeMs: 60 * MINUTE })).toMatchObject({
      content: [{ type: 'text', text: 'decline' }],
    });
    vi.useRealTimers();
    await expect(answerLate({})).rejects.toThrow('requestState is not valid');
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1h'])('cannot be %s', value => {
    const create = () => new Server({ name: 'a', version: '1' }, { roundLifetimeMs: value as number });
    expect(create).toThrow('roundLifetimeMs must be a positive number');
  });
});

describe('the id of an extension', () => {
  const create = (id: string) =>
    new Server({ name: 'a', version: '1' }, { capabilities: { extensions: { [id]: {} } } });

  // covers: 2026-07-28/versioning/extension-ids-are-meta-keys
  it.each(['search', '/search', 'com.example/', 'com..example/search', 'a b/c', ''])('cannot be "%s"', id => {
    expect(() => create(id)).toThrow(`the extension "${id}" needs a name with a prefix`);
  });

  it.each(['com.example/search', 'io.modelcontextprotocol/tasks', 'a/b'])('may be "%s"', id => {
    expect(create(id).capabilities().extensions).toEqual({ [id]: {} });
  });
});

it('refuses a JSON Schema of another dialect when it is registered', () => {
  const server = new Server({ name: 'a', version: '1' });
  const input = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } as const;
  expect(() => server.tool('t', { input }, () => '')).toThrow('draft-07');
});

it('checks an argument against a pattern in linear time', async () => {
  const server = new Server({ name: 'a', version: '1' });
  const input = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } as const;
  server.tool('t', { input }, () => 'fits');
  const client = await connectRaw(server);
  // A pattern that backtracks would take longer than anybody waits.
  const params = { name: 't', arguments: { a: `${'a'.repeat(200)}!` } };
  expect(await client.request('tools/call', params)).toMatchObject({ isError: true });
});
