import { afterEach, describe, expect, it } from 'vitest';
import { type Client, connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { REVISIONS } from '../../src/revisions/index.js';
import { Server } from '../../src/server/index.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(REVISIONS.map(({ name }) => name))('a client of %s', revision => {
  it('sees the members of a template over all pages, and hears when there are others', async () => {
    const days = ['monday', 'tuesday', 'wednesday'];
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { pageSize: 2 });
    server.resource('wine://red', {}, () => 'red');
    const menus = server.resource('menu://{day}', { list: () => days.map(day => `menu://${day}`) }, () => '');
    const client = await connectTo(server, revision);
    const uris = async () => (await client.resources()).map(({ uri }) => uri);
    expect(await uris()).toEqual(['wine://red', 'menu://monday', 'menu://tuesday', 'menu://wednesday']);

    let changes!: AsyncIterator<unknown>;
    let change!: Promise<IteratorResult<unknown>>;
    await new Promise<void>(resolve => {
      changes = client.changes({ resources: true }, { onReady: () => resolve() })[Symbol.asyncIterator]();
      change = changes.next();
    });
    days.push('friday');
    menus.listChanged();
    expect((await change).value).toEqual({ kind: 'resources' });
    await changes.return?.();
    expect(await uris()).toContain('menu://friday');
  });

  async function connectTo(server: Server, spoken: string): Promise<Client> {
    const running = await listen(server, { port: 0 });
    const client = await connect(running.url, { revision: spoken });
    closing.push(
      () => running.close(0),
      () => client.close(),
    );
    return client;
  }
});
