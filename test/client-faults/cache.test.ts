import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpError, memoryCache } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { connected, failure, pair, serveRaw } from './connected.js';
import { type Answer, type Ask, ERAS, modern } from './raw-server.js';

failOnUnhandled();

// Only the clock stands still; all else goes on as always.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  return () => vi.useRealTimers();
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A server that counts its answers, and says how long they may be kept. */
function counting(hint: object = { ttlMs: 1000 }, answers: Record<string, Answer> = {}) {
  let count = 0;
  return modern({
    'tools/list': ask => ask.result({ tools: [{ name: `tool-${++count}`, inputSchema: {} }], ...hint }),
    'prompts/list': ask => ask.result({ prompts: [{ name: `prompt-${++count}` }], ...hint }),
    'resources/list': ask => ask.result({ resources: [{ uri: 'a:b', name: `r-${++count}` }], ...hint }),
    'resources/templates/list': ask =>
      ask.result({ resourceTemplates: [{ uriTemplate: 'a:{b}', name: `t-${++count}` }], ...hint }),
    'resources/read': ask =>
      ask.result({ contents: [{ uri: ask.message.params.uri, text: `${++count}` }], ...hint }),
    'prompts/get': ask => ask.result({ messages: [], description: `${++count}`, ...hint }),
    'tools/call': ask => {
      const { name, arguments: notices = {} } = ask.message.params;
      if (name !== 'tell') return ask.result({ content: [{ type: 'text', text: `${++count}` }], ...hint });
      ask.stream();
      for (const [method, params] of Object.entries(notices)) {
        ask.event({ jsonrpc: '2.0', method: `notifications/${method}`, params });
      }
      ask.event(ask.textMessage('told'));
    },
    'completion/complete': ask => ask.result({ completion: { values: [`${++count}`] }, ...hint }),
    ...answers,
  });
}

describe('a result', () => {
  // covers: 2026-07-28/caching/positive-is-fresh, 2026-07-28/caching/stale-is-fetched-again
  test('is used again for as long as its server allows', async () => {
    const { client, server } = await pair(counting({ ttlMs: 1000, cacheScope: 'public' }));
    const first = await client.tools();
    pass(999);
    expect(await client.tools()).toEqual(first);
    pass(1);
    expect(await client.tools()).not.toEqual(first);
    expect(server.of('tools/list')).toHaveLength(2);
  });

  // covers: 2026-07-28/caching/same-request-only
  test('is not used for a request with another `_meta`, unless it differs in its progress or trace', async () => {
    const { client, server } = await pair(counting({ ttlMs: 1000, cacheScope: 'public' }));
    const read = async (_meta?: object) => {
      const result = await client.request('resources/read', { uri: 'a:b', ...(_meta && { _meta }) });
      return (result.contents as { text: string }[])[0]!.text;
    };
    const one = { 'com.example/tenant': 'one' };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(await read()).toBe('1');
    expect(await read(one)).toBe('2');
    expect(await read({ 'com.example/tenant': 'two' })).toBe('3');
    expect(await read({ ...one, progressToken: 'p-1', traceparent })).toBe('2');
    expect(await read({ progressToken: 'p-1' })).toBe('1');
    const { contents } = await client.readResource('a:b', { meta: one, onProgress: () => {} });
    expect(contents).toMatchObject([{ text: '2' }]);
    expect(server.of('resources/read')).toHaveLength(3);
  });

  // covers: 2026-07-28/caching/absent-is-zero, 2026-07-28/caching/negative-is-zero
  // covers: 2026-07-28/caching/zero-is-stale
  test.for([
    ['nothing about it', {}],
    ['zero', { ttlMs: 0, cacheScope: 'public' }],
    ['less than zero', { ttlMs: -1 }],
    ['something that is no number', { ttlMs: '1000' }],
    ['nothing, with null', { ttlMs: null }],
    ['infinity', { ttlMs: Number.POSITIVE_INFINITY }],
  ] as const)('of a server that says %s is not kept', async ([, hint]) => {
    const { client, server } = await pair(counting(hint));
    await client.tools();
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(2);
  });

  // covers: 2026-07-28/caching/same-request-only
  test('of each method that lists or reads is kept by its parameters', async () => {
    const { client, server } = await pair(counting());
    for (let time = 0; time < 2; time++) {
      await client.tools();
      await client.prompts();
      await client.resources();
      await client.resourceTemplates();
      await client.readResource('a:1');
      await client.readResource('a:2');
      await client.listTools({ cursor: 'x' });
      await client.request('resources/read', { uri: 'a:1' });
    }
    expect(
      server.asks.slice(1).map(ask => [ask.method, ask.message.params.uri ?? ask.message.params.cursor]),
    ).toEqual([
      ['tools/list', undefined],
      ['prompts/list', undefined],
      ['resources/list', undefined],
      ['resources/templates/list', undefined],
      ['resources/read', 'a:1'],
      ['resources/read', 'a:2'],
      ['tools/list', 'x'],
    ]);
  });

  test('of anything else is not kept, whatever the server says', async () => {
    const { client, server } = await pair(counting({ ttlMs: 1e9, cacheScope: 'public' }));
    for (let time = 0; time < 2; time++) {
      await client.callTool('x');
      await client.getPrompt('x');
      await client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' });
    }
    for (const method of ['tools/call', 'prompts/get', 'completion/complete'])
      expect(server.of(method)).toHaveLength(2);
  });

  test('cannot be spoilt by those who got it', async () => {
    const { client } = await pair(counting());
    const first = await client.readResource('a:b');
    first.contents.length = 0;
    const second = await client.readResource('a:b');
    expect(second.contents).toHaveLength(1);
    second.contents.length = 0;
    expect((await client.readResource('a:b')).contents).toHaveLength(1);
  });

  test('is not looked for with `bypass`, nor kept', async () => {
    const { client } = await pair(counting());
    const text = async (cacheMode: 'use' | 'bypass' | 'refresh') =>
      ((await client.readResource('a:b', { cacheMode })).contents[0] as { text: string }).text;
    expect(await text('bypass')).toBe('1');
    expect(await text('use')).toBe('2');
    expect(await text('bypass')).toBe('3');
    expect(await text('use')).toBe('2');
    expect(await text('refresh')).toBe('4');
    expect(await text('use')).toBe('4');
  });

  test('of an error is not kept', async () => {
    let calls = 0;
    const { client } = await pair(
      counting({}, { 'tools/list': ask => ask.error(-32603, `no ${++calls}`, { data: { ttlMs: 1000 } }) }),
    );
    await failure(client.tools());
    expect((await failure(client.tools())).message).toBe('no 2');
  });

  // covers: 2026-07-28/caching/retried-results-are-not-cached
  test('that came after questions is not kept, nor is what asks', async () => {
    const form = {
      method: 'elicitation/create',
      params: { message: '', requestedSchema: { type: 'object' } },
    };
    let count = 0;
    const { client, server } = await pair(
      counting(
        {},
        {
          'resources/read': ask => {
            if (ask.message.params.inputResponses) ask.result({ contents: [], text: ++count, ttlMs: 1000 });
            else ask.result({ resultType: 'input_required', inputRequests: { a: form }, ttlMs: 1000 });
          },
        },
      ),
      { onElicit: () => ({ action: 'decline' }) },
    );
    await client.readResource('a:b');
    await client.readResource('a:b');
    expect(server.of('resources/read')).toHaveLength(4);
    const begun = await client.begin('resources/read', { uri: 'a:b' });
    await client.resume(begun.held!, { a: { action: 'decline' } });
    await client.readResource('a:b');
    expect(server.of('resources/read')).toHaveLength(8);
  });

  test('is not kept at all without a cache', async () => {
    const { client, server } = await pair(counting(), { cache: false });
    await client.tools();
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(2);
  });
});

describe('a cache that is shared', () => {
  // covers: 2026-07-28/caching/same-request-only
  test('has other results, also public ones, for clients with other capabilities', async () => {
    const byExtension = (ask: Ask) => {
      const { extensions } = ask.message.params._meta['io.modelcontextprotocol/clientCapabilities'];
      const name = extensions ? 'show' : 'describe';
      ask.result({ tools: [{ name, inputSchema: {} }], ttlMs: 1000, cacheScope: 'public' });
    };
    const server = await serveRaw(modern({ 'tools/list': byExtension }));
    const cache = memoryCache();
    const plain = await connected(server.url, { cache });
    const capabilities = { extensions: { 'com.example/ui': {} } };
    const able = [1, 2].map(() => connected(server.url, { cache, capabilities }));
    expect(await plain.tools()).toMatchObject([{ name: 'describe' }]);
    for (const client of await Promise.all(able)) {
      expect(await client.tools()).toMatchObject([{ name: 'show' }]);
    }
    expect(server.of('tools/list')).toHaveLength(2);
  });

  async function two(hint: object, first: object = {}, second: object = {}) {
    const cache = memoryCache();
    const server = await serveRaw(counting(hint));
    const clients = [
      await connected(server.url, { cache, ...first }),
      await connected(server.url, { cache, ...second }),
    ] as const;
    return { server, cache, clients };
  }

  test('gives public results to everybody', async () => {
    const { clients } = await two({ ttlMs: 1000, cacheScope: 'public' });
    expect(await clients[0].tools()).toEqual(await clients[1].tools());
  });

  test.for(['private', undefined, 'everyone', 'PUBLIC'])(
    'gives results of scope %s to nobody else',
    async cacheScope => {
      const { clients, server } = await two({ ttlMs: 1000, cacheScope });
      expect(await clients[0].tools()).not.toEqual(await clients[1].tools());
      await clients[0].tools();
      await clients[1].tools();
      expect(server.of('tools/list')).toHaveLength(2);
    },
  );

  test('gives private results to those of the same partition', async () => {
    const partition = { cachePartition: 'user-1' };
    const { clients, server } = await two({ ttlMs: 1000, cacheScope: 'private' }, partition, partition);
    expect(await clients[0].tools()).toEqual(await clients[1].tools());
    expect(server.of('tools/list')).toHaveLength(1);
  });

  test('does not take a partition without a name for that of everybody', async () => {
    const { clients } = await two({ ttlMs: 1000, cacheScope: 'private' }, { cachePartition: '' });
    expect(await clients[0].tools()).not.toEqual(await clients[1].tools());
  });

  test('keeps servers apart', async () => {
    const cache = memoryCache();
    const hint = { ttlMs: 1000, cacheScope: 'public' };
    const { client, server } = await pair(counting(hint), { cache });
    const other = await pair(counting(hint), { cache });
    const path = await connected(server.url.replace('/mcp', '/other'), { cache });
    for (const each of [client, other.client, path]) await each.tools();
    expect(server.of('tools/list')).toHaveLength(2);
    expect(other.server.of('tools/list')).toHaveLength(1);
  });

  test('that is out of order is no worse than none', async () => {
    const warnings: string[] = [];
    const broken = () => Promise.reject(new Error('no connection to the store'));
    const { client } = await pair(counting(), {
      cache: { get: broken, set: broken },
      onWarning: text => warnings.push(text),
    });
    expect(await client.tools()).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringContaining('no connection'),
      expect.stringContaining('no connection'),
    ]);
    const garbage = { text: '{"tools":', requestedAt: Date.now() + 1, receivedAt: Date.now(), ttlMs: 1000 };
    const other = await pair(counting(), { cache: { get: () => garbage, set() {} } });
    expect(await other.client.tools()).toHaveLength(1);
  });
});

describe.for(ERAS)('a notice of a $era server', ({ era, serve }) => {
  const notices: [string, object][] = [
    ['tools/list', { 'tools/list_changed': {} }],
    ['prompts/list', { 'prompts/list_changed': {} }],
    ['resources/list', { 'resources/list_changed': {} }],
    ['resources/templates/list', { 'resources/list_changed': {} }],
    ['resources/read', { 'resources/updated': { uri: 'a:b' } }],
  ];
  test.for(notices)('makes what was kept of %s stale, and nothing else', async ([method, notice]) => {
    const answer = counting();
    const { client, server } = await pair(
      serve(Object.fromEntries(['tools/call', ...notices.map(([name]) => name)].map(name => [name, answer]))),
    );
    const all = () =>
      Promise.all(
        notices.map(([name]) => client.request(name, name === 'resources/read' ? { uri: 'a:b' } : {})),
      );
    await all();
    pass(1);
    await client.callTool('tell', notice);
    pass(1);
    const before = server.asks.length;
    await all();
    const stale = server.asks.slice(before).map(ask => ask.method);
    const isList = method === 'resources/list' || method === 'resources/templates/list';
    expect(stale).toEqual(isList ? ['resources/list', 'resources/templates/list'] : [method]);
    await all();
    expect(server.asks).toHaveLength(before + stale.length);
  });

  test('of one resource leaves the others as they are', async () => {
    const answer = counting();
    const { client, server } = await pair(serve({ 'tools/call': answer, 'resources/read': answer }));
    await client.readResource('a:1');
    await client.readResource('a:2');
    pass(1);
    await client.callTool('tell', { 'resources/updated': { uri: 'a:1' } });
    pass(1);
    await client.readResource('a:2');
    expect(server.of('resources/read')).toHaveLength(2);
    await client.readResource('a:1');
    expect(server.of('resources/read')).toHaveLength(3);
  });

  test('that comes while a list is asked for keeps the late answer from being kept', async () => {
    const answer = counting();
    let late: Ask | undefined;
    const { client, server } = await pair(
      serve({
        'tools/call': answer,
        'tools/list': ask => {
          if (late) return answer(ask);
          late = ask;
        },
      }),
    );
    const asked = client.tools();
    while (!late) await new Promise(setImmediate);
    pass(1);
    await client.callTool('tell', { 'tools/list_changed': {} });
    pass(1);
    late.result({ tools: [{ name: 'old', inputSchema: {} }], ttlMs: 1000 });
    expect(await asked).toMatchObject([{ name: 'old' }]);
    // The call of a modern server comes after a list of its own.
    const before = server.of('tools/list').length;
    expect(await client.tools()).toMatchObject([{ name: `tool-${before}` }]);
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(before + 1);
  });

  test('in the same millisecond as the request is taken for later', async () => {
    const answer = counting();
    const { client, server } = await pair(serve({ 'tools/call': answer, 'tools/list': answer }));
    await client.tools();
    await client.callTool('tell', { 'tools/list_changed': {} });
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(2);
  });

  if (era === 'modern')
    test('of more resources than can be remembered makes everything stale', async () => {
      const { client, server } = await pair(
        counting(
          {},
          {
            'tools/list': ask => ask.result({ tools: [], ttlMs: 1000 }),
            'tools/call': ask => {
              ask.stream();
              for (let n = 0; n < 11_000; n++) {
                ask.event({
                  jsonrpc: '2.0',
                  method: 'notifications/resources/updated',
                  params: { uri: `a:${n}` },
                });
              }
              ask.event(ask.textMessage('told'));
            },
          },
        ),
      );
      await client.tools();
      pass(1);
      await client.callTool('flood');
      pass(1);
      await client.tools();
      expect(server.of('tools/list')).toHaveLength(2);
      await client.tools();
      expect(server.of('tools/list')).toHaveLength(2);
    });
});

describe('a stale result', () => {
  async function broken(fail: Answer, options: object = { staleIfError: true }) {
    let isBroken = false;
    const { client } = await pair(
      counting({}, { 'tools/list': ask => (isBroken ? fail(ask) : ask.result({ tools: [], ttlMs: 1000 })) }),
      options,
    );
    await client.tools();
    pass(5000);
    isBroken = true;
    return client;
  }

  test.for<[string, Answer]>([
    ['hangs up', ask => ask.response.destroy()],
    ['is overloaded', ask => ask.send(503)],
    ['says so', ask => ask.send(429)],
  ])('is used if the server %s and the author wants that', async ([, fail]) => {
    expect(await (await broken(fail)).tools()).toEqual([]);
    expect((await failure((await broken(fail, {})).tools())).name).toMatch(/^(ConnectionError|HttpError)$/);
  });

  test('is used if the server is silent and the author wants that', async () => {
    expect(await (await broken(() => {})).tools({ timeoutMs: 50 })).toEqual([]);
  });

  test.for<[string, Answer]>([
    ['no longer lets the client in', ask => ask.send(401)],
    ['forbids it', ask => ask.send(403)],
    ['answers with an error', ask => ask.error(-32603, 'no')],
  ])('is not used if the server %s', async ([, fail]) => {
    expect((await failure((await broken(fail)).tools())).name).toMatch(/^(McpError|HttpError)$/);
  });

  test('is not used if a fresh one was asked for', async () => {
    const client = await broken(ask => ask.send(503));
    expect(await failure(client.tools({ cacheMode: 'refresh' }))).toBeInstanceOf(HttpError);
    expect(await failure(client.tools({ cacheMode: 'bypass' }))).toBeInstanceOf(HttpError);
  });
});

describe('a cache in memory', () => {
  const entry = (text: string) => ({ text, requestedAt: 1, receivedAt: 1, ttlMs: 1000 });

  test('keeps so many results and no more, the newest', () => {
    const cache = memoryCache(3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.set(key, entry(key));
    expect(['a', 'b', 'c', 'd'].filter(key => cache.get(key))).toEqual(['a', 'c', 'd']);
  });

  test('keeps so many characters and no more', () => {
    const cache = memoryCache(100, 1000);
    for (const key of ['a', 'b', 'c']) cache.set(key, entry('x'.repeat(400)));
    expect(['a', 'b', 'c'].filter(key => cache.get(key))).toEqual(['b', 'c']);
    cache.set('c', entry(''));
    cache.set('d', entry('x'.repeat(500)));
    expect(['b', 'c', 'd'].filter(key => cache.get(key))).toEqual(['b', 'c', 'd']);
    cache.set('e', entry('x'.repeat(2000)));
    expect(['b', 'c', 'd', 'e'].filter(key => cache.get(key))).toEqual([]);
  });
});
