import { describe, expect, it } from 'vitest';
import { REVISIONS } from '../../src/revisions/index.js';
import { Server } from '../../src/server/index.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'bistro', version: '1.0.0' };
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

describe.each(REVISIONS.map(({ name }) => name))('on %s', revision => {
  // covers: 2025-11-25/tools/name-is-case-sensitive, 2026-07-28/tools/name-is-case-sensitive
  it('tools are told apart by the case of their names', async () => {
    const server = new Server(INFO);
    for (const name of ['soup', 'Soup', 'SOUP']) server.tool(name, {}, () => `I am ${name}`);
    const client = await connectRaw(server, { revision });
    for (const name of ['soup', 'Soup', 'SOUP']) {
      expect(await client.request('tools/call', { name })).toMatchObject({
        content: [{ text: `I am ${name}` }],
      });
    }
    await expect(client.request('tools/call', { name: 'sOUP' })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a list on the newest revision', () => {
  // covers: 2026-07-28/prompts/list-does-not-depend-on-the-connection
  // covers: 2026-07-28/resources/list-does-not-depend-on-the-connection
  // covers: 2026-07-28/tools/list-does-not-depend-on-the-connection
  // covers: 2026-07-28/tools/order-is-deterministic
  it('is the same on every connection, whatever was asked there before', async () => {
    const server = new Server(INFO);
    server.tool('greet', {}, () => 'hello');
    server.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
    server.prompt('welcome', {}, () => 'hello');
    server.resource('note://a', {}, () => 'a');
    server.resource('note://{name}', {}, () => 'a');
    const { url } = await serve(server);
    const list = async (client: ModernClient, meta: object = {}) =>
      Promise.all(LISTS.map(async method => (await client.request(method, {}, { meta })).result));
    const fresh = await list(new ModernClient(url));
    const used = new ModernClient(url);
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { roots: {}, sampling: {} } };
    await used.call('greet');
    await used.call('ask', {}, { meta: capabilities });
    await used.request('prompts/get', { name: 'welcome' });
    await used.request('resources/read', { uri: 'note://a' });
    await used.request('no/such/method');
    (await used.listen({ toolsListChanged: true })).cut();
    expect(await list(used)).toEqual(fresh);
    const other = { 'io.modelcontextprotocol/clientInfo': { name: 'other', version: '2' } };
    expect(await list(used, { ...capabilities, ...other })).toEqual(fresh);
    expect(await list(new ModernClient(url))).toEqual(fresh);
  });

  // covers: 2026-07-28/caching/one-scope-for-all-pages
  it.each(['public', 'private'] as const)('has the scope %s on all its pages', async cacheScope => {
    const server = new Server(INFO, { pageSize: 1, cacheHints: { default: { ttlMs: 9, cacheScope } } });
    const hidden = { authorize: () => false, hidden: 'unless-allowed' } as const;
    for (const name of ['a', 'b', 'c']) {
      server.tool(name, {}, () => name);
      server.prompt(name, name === 'b' ? hidden : {}, () => name);
      server.resource(`note://${name}`, {}, () => name);
    }
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
      const scopes = await scopesOf(server, method);
      expect(scopes.length).toBeGreaterThan(1);
      expect(new Set(scopes), method).toEqual(new Set([method === 'prompts/list' ? 'private' : cacheScope]));
    }
  });

  // covers: 2026-07-28/caching/one-scope-for-all-pages
  it('has the scope of its members also on the pages of the resources before them', async () => {
    const server = new Server(INFO, {
      pageSize: 1,
      cacheHints: { default: { ttlMs: 9, cacheScope: 'public' } },
    });
    for (const name of ['a', 'b']) server.resource(`note://${name}`, {}, () => name);
    server.resource('menu://{day}', { list: () => ['menu://monday', 'menu://tuesday'] }, () => '');
    expect(await scopesOf(server, 'resources/list')).toEqual(Array(4).fill('private'));
  });
});

/** The scopes of all pages of a list. */
async function scopesOf(server: Server, method: string): Promise<unknown[]> {
  const client = await connectRaw(server);
  const scopes: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request(method, cursor === undefined ? {} : { cursor });
    scopes.push(page.cacheScope);
    cursor = page.nextCursor as string | undefined;
  } while (cursor !== undefined);
  return scopes;
}
