import { describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'bistro', version: '1.0.0' };
const handler = (): string => 'Soup';
const circular: Record<string, unknown> = {};
circular.itself = circular;

describe.each<[string, unknown]>([
  ['a bigint', 1n],
  ['itself', circular],
])('metadata that contains %s', (_, value) => {
  const meta: Record<string, unknown> = { 'com.example/a': value };

  it.each<[string, (server: Server) => unknown]>([
    ['tool "soup"', server => server.tool('soup', { meta }, handler)],
    ['prompt "soup"', server => server.prompt('soup', { meta }, handler)],
    ['resource "menu://today"', server => server.resource('menu://today', { meta }, handler)],
    [
      'tool "soup"',
      server => server.tool('soup', { input: { type: 'object', default: value } as const }, handler),
    ],
    ['tool "menu"', server => server.tool('menu', {}, handler).replace({ meta }, handler)],
  ])('is refused when %s is registered, and leaves the lists whole', async (who, register) => {
    const server = new Server(INFO);
    expect(() => register(server)).toThrow(`${who} cannot be written as JSON: `);
    server.tool('salad', {}, handler);
    for (const revision of ['2025-06-18', '2026-07-28']) {
      const { tools } = await (await connectRaw(server, { revision })).request('tools/list');
      expect(tools).toContainEqual(expect.objectContaining({ name: 'salad' }));
    }
  });

  it('is refused in the capabilities of a server', () => {
    const capabilities = { experimental: { a: { value } } };
    expect(() => new Server(INFO, { capabilities })).toThrow('a server cannot be written as JSON: ');
  });
});

it.each<[string, unknown]>([
  ['a bigint', 1n],
  ['an object with a bigint', { bill: 1n }],
  ['an object that contains itself', circular],
])(
  'structured content that is %s is reported with its tool, and the model hears of it',
  async (_, structuredContent) => {
    const reported: string[] = [];
    const onError = (error: unknown, where: string) => reported.push(`${where}: ${(error as Error).message}`);
    const server = new Server(INFO, { onError });
    server.tool('pay', {}, () => ({ content: [], structuredContent }));
    for (const revision of ['2025-06-18', '2026-07-28']) {
      const result = await (await connectRaw(server, { revision })).request('tools/call', { name: 'pay' });
      expect(result).toMatchObject({ content: [{ text: 'tool "pay" failed' }], isError: true });
    }
    expect(reported).toEqual(
      Array(2).fill(expect.stringMatching(/^tool "pay": .* cannot be written as JSON: /)),
    );
  },
);

it.each<[string, unknown]>([
  ['true', true],
  ['a text', 'yes'],
  ['a list', []],
  ['null', null],
])('an experimental capability that is %s is refused when it is declared', (_, settings) => {
  const capabilities = { experimental: { a: settings } } as object;
  expect(() => new Server(INFO, { capabilities })).toThrow(
    'the settings of the experimental capability "a" must be an object',
  );
});

it('a client whose experimental capabilities are no objects is served all the same', async () => {
  const server = new Server(INFO);
  server.tool('soup', {}, (_args, ctx) => `${ctx.supports('experimental.a')}`);
  const capabilities = { experimental: { a: 'yes' } } as object;
  for (const revision of ['2025-06-18', '2026-07-28']) {
    const client = await connectRaw(server, { revision, capabilities });
    expect(await client.request('tools/call', { name: 'soup' })).toMatchObject({
      content: [{ text: 'false' }],
    });
  }
});
