import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Client, InvalidAnswer, RequestTimeout } from '../../src/client/index.js';
import { Server } from '../../src/server/index.js';
import { connected, failure, pair } from '../client-faults/connected.js';
import { type Ask, modern } from '../client-faults/raw-server.js';
import { serve } from './servers.js';

const PARIS = { city: 'Paris' };
const call = (name: string, args: object) => ({ name, arguments: args });

/** Every method of a client that can call a tool. */
const WAYS: Record<string, (client: Client, name: string, args: object) => Promise<unknown>> = {
  callTool: (client, name, args) => client.callTool(name, args),
  request: (client, name, args) => client.request('tools/call', call(name, args)),
  begin: async (client, name, args) => (await client.begin('tools/call', call(name, args))).result,
  resume: async (client, name, args) => {
    const held = { method: 'tools/call', params: call(name, args), round: 1, questions: {} };
    return (await client.resume(held, {})).result;
  },
};

/** Every method of a client that can list tools. */
const LISTS: Record<string, (client: Client) => Promise<unknown>> = {
  tools: client => client.tools(),
  listTools: async client => (await client.listTools()).tools,
  request: async client => (await client.request('tools/list')).tools,
  begin: async client => (await client.begin('tools/list')).result?.tools,
};

describe.each(Object.entries(WAYS))('a tool that is called with %s', (_way, callTool) => {
  /** A server that routes by a header, as our own server demands it. */
  function weather(): Server {
    const server = new Server({ name: 'weather', version: '1.0.0' });
    const city = { type: 'string', 'x-mcp-header': 'City' };
    const input = { type: 'object', properties: { city }, required: ['city'] };
    server.tool('forecast', { input }, args => `sunny in ${(args as typeof PARIS).city}`);
    return server;
  }

  // covers: 2026-07-28/streamable-http/parameters-are-mirrored
  it('gets the arguments that it mirrors as headers, too', async () => {
    const client = await connected(await serve(weather()));
    await client.tools();
    expect(await callTool(client, 'forecast', PARIS)).toMatchObject({
      content: [{ text: 'sunny in Paris' }],
    });
  });

  // covers: 2026-07-28/streamable-http/client-lists-again-after-a-mismatch
  it('is looked up and called again if the server misses its headers', async () => {
    const client = await connected(await serve(weather()));
    expect(await callTool(client, 'forecast', PARIS)).toMatchObject({
      content: [{ text: 'sunny in Paris' }],
    });
  });

  it('has to return what its output schema promises', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
    const { client } = await pair(
      modern({
        'tools/list': ask => ask.result({ tools: [{ name: 'count', inputSchema: {}, outputSchema }] }),
        'tools/call': ask => ask.result({ content: [], structuredContent: { n: 'many' } }),
      }),
    );
    await client.tools();
    const error = await failure(callTool(client, 'count', {}));
    expect(error).toBeInstanceOf(InvalidAnswer);
    expect(error.message).toContain('does not match its output schema');
  });
});

describe.each(Object.entries(LISTS))('a list of tools that is read with %s', (_way, list) => {
  // covers: 2026-07-28/streamable-http/invalid-tools-are-not-listed
  it('leaves out tools whose headers are invalid', async () => {
    const warnings: string[] = [];
    const wrong = { properties: { n: { type: 'number', 'x-mcp-header': 'N' } } };
    const { client } = await pair(
      modern({
        'tools/list': ask =>
          ask.result({
            tools: [
              { name: 'wrong', inputSchema: wrong },
              { name: 'right', inputSchema: {} },
            ],
          }),
      }),
      { onWarning: warning => warnings.push(warning) },
    );
    expect(await list(client)).toMatchObject([{ name: 'right' }]);
    expect(warnings).toMatchObject([/wrong/]);
  });
});

describe('the time limit of a whole call', () => {
  // Only the clock is faked; timers run as always.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
  const MINUTE = 60_000;

  it('covers all rounds', async () => {
    const { client, server } = await pair(
      modern({
        'tools/call': ask => {
          pass(MINUTE);
          ask.result({ resultType: 'input_required', requestState: 'again' });
        },
      }),
    );
    const error = await failure(client.callTool('never', {}, { maxTimeoutMs: 2 * MINUTE }));
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(error.message).toBe('tools/call was not answered within 120000 ms');
    expect(server.of('tools/call')).toHaveLength(2);
  });

  it('covers the pauses between rounds', async () => {
    const { client } = await pair(
      modern({
        'tools/call': ask => ask.result({ resultType: 'input_required', requestState: 'again' }),
      }),
    );
    vi.useRealTimers();
    const error = await failure(client.callTool('never', {}, { maxTimeoutMs: 200 }));
    expect(error).toBeInstanceOf(RequestTimeout);
  });

  it('does not count the time that the user takes to answer', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('reserve', {}, async (_args, ctx) => {
      for (const question of ['When?', 'Where?']) await ctx.elicit(question, z.object({}));
      return 'reserved';
    });
    const client = await connected(await serve(server), {
      onElicit: () => {
        pass(10 * MINUTE);
        return { action: 'accept', content: {} };
      },
    });
    expect(await client.callTool('reserve', {}, { maxTimeoutMs: MINUTE })).toMatchObject({
      content: [{ text: 'reserved' }],
    });
  });

  it('covers the second try after the server missed headers', async () => {
    const { client, server } = await pair(
      modern({
        'tools/list': ask => ask.result({ tools: [] }),
        'tools/call': ask => {
          pass(MINUTE);
          ask.error(-32020, 'headers are missing', { status: 400 });
        },
      }),
    );
    const error = await failure(client.callTool('forecast', PARIS, { maxTimeoutMs: MINUTE }));
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(server.of('tools/call')).toHaveLength(1);
  });

  it('covers all pages of a list', async () => {
    const { client, server } = await pair(
      modern({
        'tools/list': ask => {
          pass(MINUTE);
          ask.result({ tools: [], nextCursor: `${server.asks.length}` });
        },
      }),
    );
    const error = await failure(client.tools({ maxTimeoutMs: 3 * MINUTE }));
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(server.of('tools/list')).toHaveLength(3);
  });
});

describe('the time limit of a request', () => {
  it.each(['2026-07-28', '2025-11-25'])(
    'does not count the time that the user takes to answer, in %s',
    async revision => {
      const server = new Server({ name: 'bistro', version: '1.0.0' });
      server.tool(
        'hang',
        {},
        (_args, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', reject)),
      );
      server.tool('reserve', {}, async (_args, ctx) => (await ctx.elicit('When?', z.object({}))).action);
      const timeoutMs = 300;
      const client = await connected(await serve(server), {
        revision,
        onElicit: async () => {
          // It began later and has the same limit, so that the time of the call would be over, too.
          await expect(client.callTool('hang', {}, { timeoutMs })).rejects.toThrow(RequestTimeout);
          return { action: 'accept', content: {} };
        },
      });
      expect(await client.callTool('reserve', {}, { timeoutMs })).toMatchObject({
        content: [{ text: 'accept' }],
      });
    },
  );
});

describe('a cursor that has become invalid', () => {
  /** A server with two pages, whose second cursor changes with `edition`. */
  function paged(edition: { current: number }, hint: object) {
    return modern({
      'resources/list': (ask: Ask) => {
        const { cursor } = ask.message.params;
        const name = `r-${edition.current}`;
        if (cursor === undefined)
          return ask.result({
            resources: [{ uri: 'a:1', name }],
            nextCursor: `c-${edition.current}`,
            ...hint,
          });
        if (cursor !== `c-${edition.current}`) return ask.error(-32602, 'invalid cursor');
        ask.result({ resources: [{ uri: 'a:2', name }], ...hint, ttlMs: 0 });
      },
    });
  }

  it('makes the client read the list from its beginning', async () => {
    const edition = { current: 1 };
    const { client } = await pair(paged(edition, { ttlMs: 60_000, cacheScope: 'public' }));
    await client.resources();
    edition.current = 2;
    const names = (await client.resources()).map(({ name }) => name);
    expect(names).toEqual(['r-2', 'r-2']);
  });

  // covers: 2026-07-28/caching/invalid-cursor-starts-again
  it('makes the client forget the pages that it kept', async () => {
    const edition = { current: 1 };
    const { client, server } = await pair(paged(edition, { ttlMs: 60_000, cacheScope: 'public' }));
    const { nextCursor } = await client.listResources();
    edition.current = 2;
    await expect(client.listResources({ cursor: nextCursor })).rejects.toThrow('invalid cursor');
    expect((await client.listResources()).nextCursor).toBe('c-2');
    expect(server.of('resources/list')).toHaveLength(3);
  });

  it('ends the list if no cursor is accepted', async () => {
    const { client, server } = await pair(
      modern({
        'resources/list': ask =>
          ask.message.params.cursor === undefined
            ? ask.result({ resources: [], nextCursor: 'next' })
            : ask.error(-32602, 'invalid cursor'),
      }),
    );
    await expect(client.resources()).rejects.toThrow('invalid cursor');
    expect(server.of('resources/list')).toHaveLength(4);
  });
});

describe('an output schema', () => {
  const counting = (outputSchema: object, result: object) =>
    modern({
      'tools/list': ask => ask.result({ tools: [{ name: 'count', inputSchema: {}, outputSchema }] }),
      'tools/call': ask => ask.result(result),
    });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://json-schema.org/draft/2019-09/schema'])(
    'of dialect %s is not checked, and the author is told once',
    async $schema => {
      const warnings: string[] = [];
      const result = { content: [], structuredContent: { n: 1 } };
      const { client } = await pair(counting({ $schema, type: 'object' }, result), {
        onWarning: warning => warnings.push(warning),
      });
      await client.tools();
      for (let call = 0; call < 2; call++) expect(await client.callTool('count')).toMatchObject(result);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('count');
      expect(warnings[0]).toContain(`dialect ${$schema} is not supported`);
    },
  );

  it('that is malformed makes the result an invalid answer', async () => {
    const { client } = await pair(counting({ type: 'nothing' }, { content: [], structuredContent: {} }));
    await client.tools();
    expect(await failure(client.callTool('count'))).toBeInstanceOf(InvalidAnswer);
  });

  it('says nothing about results of types that an extension brings', async () => {
    const result = { resultType: 'task', task: { id: '1' } };
    const { client } = await pair(counting({ type: 'object' }, result), {
      capabilities: { extensions: { 'com.example/tasks': {} } },
      resultTypes: ['task'],
    });
    await client.tools();
    expect(await client.request('tools/call', { name: 'count' })).toMatchObject(result);
  });
});

it('mirrors a large integer in decimal digits', async () => {
  const n = { type: 'integer', 'x-mcp-header': 'N' };
  const { client, server } = await pair(
    modern({
      'tools/list': ask => ask.result({ tools: [{ name: 'count', inputSchema: { properties: { n } } }] }),
      'tools/call': ask => ask.text('counted'),
    }),
  );
  await client.tools();
  await client.callTool('count', { n: 1e21 });
  expect(server.of('tools/call')[0]?.request.headers['mcp-param-n']).toBe('1000000000000000000000');
});
