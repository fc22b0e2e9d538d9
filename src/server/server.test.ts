import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw } from '../../test/raw-client.js';
import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { ServerCapabilities } from '../protocol/capabilities.js';
import { ERROR } from '../protocol/errors.js';
import { META } from '../protocol/meta.js';
import { Server } from './server.js';
import type { ServerOptions } from './server-options.js';

function createServer(options: ServerOptions = {}): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
  server.tool('soup', {}, () => 'Soup');
  server.prompt('order', {}, () => 'Soup');
  server.resource('menu://today', {}, () => 'Soup');
  server.resource('menu://{day}', { cacheHint: { ttlMs: 9, cacheScope: 'public' } }, ({ day }) => day);
  return server;
}

it('needs a name and a version', () => {
  for (const info of [undefined, {}, { name: 'x' }, { name: 'x', version: 1 }]) {
    expect(() => new Server(info as never)).toThrow('a server needs a name and a version');
  }
});

describe('cache hints', () => {
  async function hints(options: ServerOptions): Promise<Record<string, unknown>> {
    const client = await connectRaw(createServer(options));
    const read = async (method: string, params?: JsonObject) => {
      const { ttlMs, cacheScope } = await client.request(method, params);
      return `${cacheScope} ${ttlMs}`;
    };
    return {
      discovery: await read('server/discover'),
      tools: await read('tools/list'),
      prompts: await read('prompts/list'),
      resources: await read('resources/list'),
      templates: await read('resources/templates/list'),
      read: await read('resources/read', { uri: 'menu://today' }),
      own: await read('resources/read', { uri: 'menu://friday' }),
    };
  }

  // covers: 2026-07-28/caching/hints-on-complete-results
  it('say by default that nothing may be kept', async () => {
    expect(await hints({})).toEqual({
      discovery: 'private 0',
      tools: 'private 0',
      prompts: 'private 0',
      resources: 'private 0',
      templates: 'private 0',
      read: 'private 0',
      own: 'public 9',
    });
  });

  it('can be set for all, and for each list apart', async () => {
    const cache = {
      default: { ttlMs: 1, cacheScope: 'public' },
      tools: { ttlMs: 2, cacheScope: 'private' },
      read: { ttlMs: 3, cacheScope: 'public' },
      discovery: { ttlMs: 4, cacheScope: 'public' },
    } as const;
    expect(await hints({ cacheHints: cache })).toEqual({
      discovery: 'public 4',
      tools: 'private 2',
      prompts: 'public 1',
      resources: 'public 1',
      templates: 'public 1',
      read: 'public 3',
      own: 'public 9',
    });
  });

  it('can be chosen each time a resource is read', async () => {
    const server = createServer();
    const cache = { ttlMs: 5, cacheScope: 'public' } as const;
    server.resource('menu://friday', { cacheHint: { ttlMs: 1, cacheScope: 'private' } }, () => ({
      contents: [{ text: 'Fish' }],
      cacheHint: cache,
    }));
    const result = await (await connectRaw(server)).request('resources/read', { uri: 'menu://friday' });
    expect(result).toMatchObject(cache);
    expect(result).not.toHaveProperty('cacheHint');
  });

  // covers: 2026-07-28/caching/ttl-is-not-negative
  it('are refused at once if they are none', () => {
    const wrong = { ttlMs: -1, cacheScope: 'public' } as const;
    expect(() => createServer({ cacheHints: { default: wrong } })).toThrow(UsageError);
    expect(() => createServer({ cacheHints: { tools: wrong } })).toThrow(UsageError);
    expect(() => createServer().resource('menu://friday', { cacheHint: wrong }, () => 'Fish')).toThrow(
      UsageError,
    );
  });

  it('are not on what cannot be kept', async () => {
    const cache = { default: { ttlMs: 1, cacheScope: 'public' } } as const;
    const client = await connectRaw(createServer({ cacheHints: cache }));
    for (const result of [
      await client.request('tools/call', { name: 'soup' }),
      await client.request('prompts/get', { name: 'order' }),
    ]) {
      expect(result).not.toHaveProperty('ttlMs');
      expect(result).not.toHaveProperty('cacheScope');
    }
  });
});

describe('capabilities', () => {
  const listChanged = { listChanged: true };

  function derived(register: (server: Server) => void, declared?: ServerCapabilities): ServerCapabilities {
    const server = new Server(
      { name: 'bistro', version: '1.0.0' },
      declared ? { capabilities: declared } : {},
    );
    register(server);
    return server.capabilities();
  }

  // covers: 2026-07-28/logging/capability-is-declared, 2026-07-28/prompts/capability-is-declared
  // covers: 2026-07-28/resources/capability-is-declared, 2026-07-28/tools/capability-is-declared
  it('follow from what is registered', () => {
    expect(derived(() => {})).toEqual({ logging: {} });
    expect(derived(server => server.tool('a', {}, () => ''))).toEqual({ logging: {}, tools: listChanged });
    expect(derived(server => server.prompt('a', {}, () => ''))).toEqual({
      logging: {},
      prompts: listChanged,
    });
    const resources = { listChanged: true, subscribe: true };
    expect(derived(server => server.resource('a://b', {}, () => ''))).toEqual({ logging: {}, resources });
    expect(derived(server => server.resource('a://{b}', {}, () => ''))).toEqual({ logging: {}, resources });
  });

  // covers: 2026-07-28/completion/capability-is-declared
  it('include completions only if something completes', () => {
    const input = z.object({ x: z.string() });
    const complete = { x: () => [] };
    expect(derived(server => server.prompt('a', { input }, () => ''))).not.toHaveProperty('completions');
    expect(derived(server => server.prompt('a', { input, complete }, () => ''))).toHaveProperty(
      'completions',
    );
    expect(derived(server => server.resource('a://{x}', { complete }, () => ''))).toHaveProperty(
      'completions',
    );
  });

  it('are withdrawn by a declaration that is undefined', () => {
    const declared = { tools: undefined, logging: undefined };
    expect(derived(server => server.tool('a', {}, () => ''), declared)).toEqual({});
  });

  it('include what was declared, which wins', () => {
    const declared = { tools: {}, extensions: { 'com.example/x': { on: true } } };
    const capabilities = derived(server => server.prompt('a', {}, () => ''), declared);
    expect(capabilities).toEqual({ logging: {}, prompts: listChanged, ...declared });
  });

  // covers: 2026-07-28/prompts/capabilities-are-respected, 2026-07-28/tools/capability-is-declared
  it('grow when something of a new kind is registered while serving', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const client = await connectRaw(server);
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: ERROR.methodNotFound });
    server.tool('soup', {}, () => 'Soup');
    expect((await client.request('tools/list')).tools).toHaveLength(1);
    expect((await client.request('server/discover')).capabilities).toMatchObject({ tools: listChanged });
  });

  it('do not shrink, because clients were told of them: the last tool that goes leaves an empty list', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const tool = server.tool('soup', {}, () => 'Soup');
    const complete = { x: () => ['y'] };
    const prompt = server.prompt('order', { input: z.object({ x: z.string() }), complete }, () => 'Soup');
    const client = await connectRaw(server);
    const before = (await client.request('server/discover')).capabilities;
    tool.remove();
    prompt.disable();
    expect((await client.request('tools/list')).tools).toEqual([]);
    expect((await client.request('prompts/list')).prompts).toEqual([]);
    expect((await client.request('server/discover')).capabilities).toEqual(before);
  });
});

describe('discovery', () => {
  // covers: 2026-07-28/discover/implemented, 2026-07-28/discover/server-info
  it('tells the versions, the capabilities, the instructions and the name of the server', async () => {
    const server = createServer({ instructions: 'Ask for the menu first.' });
    const discovery = await (await connectRaw(server)).request('server/discover');
    expect(discovery).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: server.capabilities(),
      instructions: 'Ask for the menu first.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [META.serverInfo]: { name: 'bistro', version: '1.0.0' } },
    });
  });

  it('has no instructions if there are none', async () => {
    expect(await (await connectRaw(createServer())).request('server/discover')).not.toHaveProperty(
      'instructions',
    );
  });
});
