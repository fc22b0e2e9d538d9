import { expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'bistro', version: '1.0.0' };
const OPTIONS = { pageSize: 1, cacheHints: { default: { ttlMs: 60_000, cacheScope: 'public' } } } as const;

/** The first two pages of a list that changes between them. */
async function readPages(server: Server, method: string, change: () => void) {
  const client = await connectRaw(server);
  const first = await client.request(method);
  change();
  const second = await client.request(method, { cursor: first.nextCursor });
  return { first, second };
}

// covers: 2026-07-28/caching/one-scope-for-all-pages
it('pages after a personal one stay private, though nothing is hidden any more', async () => {
  const server = new Server(INFO, OPTIONS);
  const secret = server.tool('secret', { authorize: () => true, hidden: 'unless-allowed' }, () => '');
  for (const name of ['soup', 'salad']) server.tool(name, {}, () => '');
  const { first, second } = await readPages(server, 'tools/list', () => secret.remove());
  expect(first).toMatchObject({ tools: [{ name: 'secret' }], cacheScope: 'private' });
  expect(second).toMatchObject({ tools: [{ name: 'soup' }], cacheScope: 'private' });
});

it('pages after one of a list with members stay private, though the template is gone', async () => {
  const server = new Server(INFO, OPTIONS);
  for (const uri of ['wine://red', 'wine://white']) server.resource(uri, {}, () => '');
  const menus = server.resource('menu://{day}', { list: () => ['menu://monday'] }, () => '');
  const { first, second } = await readPages(server, 'resources/list', () => menus.remove());
  expect(first).toMatchObject({ resources: [{ uri: 'wine://red' }], cacheScope: 'private' });
  expect(second).toMatchObject({ resources: [{ uri: 'wine://white' }], cacheScope: 'private' });
});
