import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';

// Only the clock stands still; all else goes on as always.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const page = (name: string, more: object = {}) => ({ prompts: [{ name }], ...more });

describe('a list in pages', () => {
  // covers: 2026-07-28/pagination/cursors-are-opaque, 2026-07-28/pagination/empty-cursor-is-a-cursor
  // covers: 2026-07-28/prompts/client-handles-pages
  it('is followed by cursors of any form, the empty one included, as they are', async () => {
    const cursors = ['', ' ', '0', 'null', '%00', '{"page":2}', '世界\n'];
    const { client, server } = await pair(
      modern({
        'prompts/list': ask => {
          const { cursor } = ask.message.params;
          const at = cursor === undefined ? 0 : cursors.indexOf(cursor) + 1;
          ask.result(page(`${at}`, at < cursors.length ? { nextCursor: cursors[at] } : {}));
        },
      }),
    );
    const names = (await client.prompts()).map(({ name }) => name);
    expect(names).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(server.of('prompts/list').map(({ message }) => message.params.cursor)).toEqual([
      undefined,
      ...cursors,
    ]);
  });

  // covers: 2026-07-28/pagination/cursors-are-opaque
  it('goes on after the same cursor, because nothing follows from its value', async () => {
    let count = 0;
    const { client } = await pair(
      modern({
        'prompts/list': ask => ask.result(page(`${++count}`, count < 4 ? { nextCursor: 'next' } : {})),
      }),
    );
    expect((await client.prompts()).map(({ name }) => name)).toEqual(['1', '2', '3', '4']);
  });

  // covers: 2026-07-28/pagination/page-size-is-not-assumed, 2026-07-28/prompts/client-handles-pages
  it('may have pages of any size, the empty one included', async () => {
    const pages = [[], ['a', 'b', 'c'], ['d'], []];
    const { client } = await pair(
      modern({
        'prompts/list': ask => {
          const at = Number(ask.message.params.cursor ?? 0);
          const prompts = pages[at]!.map(name => ({ name }));
          ask.result({ prompts, ...(at < 3 && { nextCursor: `${at + 1}` }) });
        },
      }),
    );
    expect((await client.prompts()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  // covers: 2026-07-28/caching/expired-page-is-fetched-again
  it('keeps each page for its own time, and asks for the one that is stale by its cursor', async () => {
    const { client, server } = await pair(
      modern({
        'prompts/list': ask =>
          ask.message.params.cursor === undefined
            ? ask.result(page('first', { nextCursor: 'next', ttlMs: 10_000 }))
            : ask.result(page('second', { ttlMs: 1_000 })),
      }),
    );
    await client.prompts();
    pass(1_000);
    expect(await client.prompts()).toHaveLength(2);
    expect(server.of('prompts/list').map(({ message }) => message.params.cursor)).toEqual([
      undefined,
      'next',
      'next',
    ]);
  });

  // covers: 2026-07-28/caching/snapshot-from-the-beginning
  it('is asked for from the beginning if it must be fresh', async () => {
    const { client, server } = await pair(
      modern({
        'prompts/list': ask =>
          ask.message.params.cursor === undefined
            ? ask.result(page('first', { nextCursor: 'next', ttlMs: 10_000 }))
            : ask.result(page('second', { ttlMs: 10_000 })),
      }),
    );
    await client.prompts();
    await client.prompts({ cacheMode: 'refresh' });
    expect(server.of('prompts/list').map(({ message }) => message.params.cursor)).toEqual([
      undefined,
      'next',
      undefined,
      'next',
    ]);
  });

  // covers: 2026-07-28/caching/invalid-cursor-starts-again
  it('is asked for from the beginning if a cursor has become invalid', async () => {
    let version = 1;
    const { client, server } = await pair(
      modern({
        'prompts/list': ask => {
          const { cursor } = ask.message.params;
          if (cursor === undefined)
            return ask.result(page(`first ${version}`, { nextCursor: `next ${version}`, ttlMs: 100_000 }));
          if (cursor !== `next ${version}`) return ask.error(-32602, 'invalid cursor');
          ask.result(page(`second ${version}`, { ttlMs: 1_000 }));
        },
      }),
    );
    await client.prompts();
    version = 2;
    pass(1_000);
    expect((await client.prompts()).map(({ name }) => name)).toEqual(['first 2', 'second 2']);
    expect(server.of('prompts/list').map(({ message }) => message.params.cursor)).toEqual([
      undefined,
      'next 1',
      'next 1',
      undefined,
      'next 2',
    ]);
  });
});

describe('a result that has become stale', () => {
  // covers: 2026-07-28/caching/stale-is-fetched-again, 2026-07-28/caching/ttl-is-no-interval
  it('is not fetched again until somebody needs it', async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ now: 1_000_000, shouldAdvanceTime: true });
    const { client, server } = await pair(
      modern({ 'prompts/list': ask => ask.result(page('a', { ttlMs: 1_000 })) }),
    );
    await client.prompts();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(server.of('prompts/list')).toHaveLength(1);
    await client.prompts();
    expect(server.of('prompts/list')).toHaveLength(2);
  });
});

describe('suggestions', () => {
  // covers: 2026-07-28/completion/client-copes-with-partial-results
  it.each([
    { values: [] },
    { values: ['a'] },
    { values: ['a'], hasMore: true },
    { values: ['a'], total: 100, hasMore: true },
  ])('may be missing, or only some of them: %j', async completion => {
    const { client } = await pair(
      modern({
        'server/discover': ask =>
          ask.result({ supportedVersions: ['2026-07-28'], capabilities: { completions: {}, prompts: {} } }),
        'completion/complete': ask => ask.result({ completion }),
      }),
    );
    const completed = await client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' });
    expect(completed).toMatchObject(completion);
  });
});
