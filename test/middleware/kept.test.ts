import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { responseCache, resultLimit } from '../../src/middleware/index.js';
import { type Caller, type Middleware, Server } from '../../src/server/index.js';
import { connectTest, textOf } from '../../src/testing/index.js';

const MB = 1024 * 1024;
const COUNT = { input: z.object({ of: z.string().default('soup'), size: z.number().default(0) }) };

/** A server that counts how often its tool has run, and a client of it. */
async function open(
  createLayer: (server: Server) => Middleware | ReturnType<typeof responseCache>,
  options: object = {},
) {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  let count = 0;
  server.tool('count', COUNT, ({ size }) => `${++count} ${'x'.repeat(size)}`);
  server.tool('meta', {}, (_, { meta }) => `${meta['com.example/table']}: ${++count}`);
  server.use(createLayer(server));
  const client = await connectTest(server, { cache: false, ...options });
  onTestFinished(() => client.close());
  return {
    client,
    run: async (args: object) => Number(textOf(await client.callTool('count', args)).split(' ')[0]),
  };
}

const cached = (options = {}) => responseCache({ ttlMs: 60_000, tools: ['count', 'meta'], ...options });

describe.each(['2025-06-18', '2026-07-28'])('on %s responseCache', revision => {
  const ADA = {
    principal: 'ada',
    subject: 'ada',
    clientId: 'web',
    scopes: ['read'],
    claims: { tenant: 'a' },
  };

  it.each<[string, Caller]>([
    ['more scopes', { ...ADA, scopes: ['read', 'write'] }],
    ['fewer scopes', { ...ADA, scopes: [] }],
    ['another principal', { ...ADA, principal: 'grace' }],
    ['another subject', { ...ADA, subject: 'grace' }],
    ['another program', { ...ADA, clientId: 'phone' }],
    ['other claims', { ...ADA, claims: { tenant: 'b' } }],
    ['no claims', { ...ADA, claims: undefined }],
  ])('gives no result to a token with %s, also in the same session', async (_, other) => {
    let caller: Caller = ADA;
    const { run } = await open(() => cached(), { revision, handler: { authenticate: () => caller } });
    expect(await run({})).toBe(1);
    caller = other;
    // A session belongs to one principal, and is refused to another one.
    const second = await run({}).catch(() => 2);
    expect(second).toBe(2);
  });

  it('gives a result again to a token that was only renewed', async () => {
    let caller: Caller = { ...ADA, claims: { tenant: 'a', exp: 1, iat: 1, nbf: 1, jti: 'one' } };
    const { run } = await open(() => cached(), { revision, handler: { authenticate: () => caller } });
    expect(await run({})).toBe(1);
    const claims = { jti: 'two', exp: 2, iat: 2, nbf: 2, tenant: 'a' };
    caller = { ...ADA, scopes: ['read'], expiresAt: Date.now() + 60_000, claims };
    expect(await run({})).toBe(1);
  });

  it('tells requests apart that have other metadata, but not by their traces and progress', async () => {
    const { client } = await open(() => cached(), { revision });
    const ask = async (table: number, trace: string) => {
      const meta = { 'com.example/table': table, traceparent: `00-${trace.repeat(32)}-00f067aa0ba902b7-01` };
      return textOf(await client.callTool('meta', {}, { meta, onProgress: () => {} }));
    };
    expect(await ask(1, 'a')).toBe('1: 1');
    expect(await ask(2, 'a')).toBe('2: 2');
    expect(await ask(1, 'b')).toBe('1: 1');
  });

  it('keeps no more than maxBytes, and forgets the oldest results first', async () => {
    const { run } = await open(() => cached({ maxBytes: 10_000 }), { revision });
    expect(await run({ of: 'soup', size: 2000 })).toBe(1);
    expect(await run({ of: 'soup', size: 2000 })).toBe(1);
    expect(await run({ of: 'salad', size: 2000 })).toBe(2);
    expect(await run({ of: 'bread', size: 2000 })).toBe(3);
    expect(await run({ of: 'bread', size: 2000 })).toBe(3);
    expect(await run({ of: 'soup', size: 2000 })).toBe(4);
  });

  it('keeps no result that is larger than maxBytes, and none of the others gives way to it', async () => {
    const { run } = await open(() => cached({ maxBytes: 10_000 }), { revision });
    expect(await run({ of: 'soup', size: 2000 })).toBe(1);
    expect(await run({ of: 'feast', size: 20_000 })).toBe(2);
    expect(await run({ of: 'feast', size: 20_000 })).toBe(3);
    expect(await run({ of: 'soup', size: 2000 })).toBe(1);
  });

  it('counts the arguments of kept results', async () => {
    const { run } = await open(() => cached({ maxBytes: 10_000 }), { revision });
    expect(await run({ of: 'a'.repeat(3000) })).toBe(1);
    expect(await run({ of: 'b'.repeat(3000) })).toBe(2);
    expect(await run({ of: 'a'.repeat(3000) })).toBe(3);
  });
});

describe.each(['2025-06-18', '2026-07-28'])('on %s resultLimit', revision => {
  /** A tool with a long text, and a way to read what was cut. */
  async function cut(options: object) {
    const { client } = await open(server => resultLimit(server, { maxCharacters: 10, ...options }), {
      revision,
    });
    const rest = async (uri: string) =>
      ((await client.readResource(uri)).contents[0] as { text: string }).text.length;
    const call = async (size: number) => (await client.callTool('count', { size })).content as any[];
    return { call, rest };
  }

  it('keeps no more than maxKeptBytes of cut texts, and forgets the oldest first', async () => {
    const { call, rest } = await cut({ maxKeptBytes: 10_000 });
    const links: string[] = [];
    for (let n = 0; n < 3; n++) links.push((await call(2000)).at(-1).uri);
    expect(await Promise.all(links.slice(1).map(rest))).toEqual([1992, 1992]);
    expect(await rest(links[0] as string)).not.toBe(1992);
  });

  it('gives no link to a rest that is too large to be kept', async () => {
    const { call, rest } = await cut({ maxKeptBytes: 10_000 });
    const { uri } = (await call(2000)).at(-1);
    const content = await call(20_000);
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^2 x{8}$/) },
      { type: 'text', text: expect.stringContaining('19992 more are too many to be kept') },
    ]);
    expect(await rest(uri)).toBe(1992);
  });
});

it('responseCache limits its memory also if it is not told to', async () => {
  const { run } = await open(() => cached());
  for (const [at, of] of ['soup', 'salad', 'bread'].entries())
    expect(await run({ of, size: 12 * MB })).toBe(at + 1);
  expect(await run({ of: 'bread', size: 12 * MB })).toBe(3);
  expect(await run({ of: 'soup', size: 12 * MB })).toBe(4);
});

it('resultLimit limits its memory also if it is not told to', async () => {
  const { client } = await open(server => resultLimit(server));
  const links: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { content } = await client.callTool('count', { size: 12 * MB });
    links.push((content.at(-1) as { uri: string }).uri);
  }
  const [first, last] = await Promise.all(
    [links[0], links[2]].map(async uri => (await client.readResource(uri as string)).contents[0]),
  );
  expect(first).toMatchObject({ text: expect.stringContaining('no longer kept') });
  expect((last as { text: string }).text.length).toBeGreaterThan(11 * MB);
});
