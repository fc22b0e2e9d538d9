import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/client/extensions/index.js';
import type { ChangeFilter, ConnectOptions, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension } from '../../src/server/extensions/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';

const INFO = { name: 'streams', version: '1.0.0' };
const MENU = 'menu://today';

async function open(options: ConnectOptions, serverOptions: ServerOptions = {}) {
  const server = new Server(INFO, serverOptions);
  server.resource(MENU, {}, () => 'Soup');
  server.tool('greet', {}, () => 'Hello');
  const { url } = await serve(server);
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return { client, server };
}

describe.each(['2025-11-25', '2026-07-28'])('changes on %s', revision => {
  it('are of lists and of single resources at once, and pass the middleware of the server', async () => {
    const { client, server } = await open({ revision });
    const sent: string[] = [];
    server.use({
      name: 'observer',
      send({ method, params }, next) {
        sent.push(method);
        if (params.uri !== 'menu://today/dropped') next();
      },
    });
    const filter: ChangeFilter = { tools: true, resources: { list: true, uris: [MENU] } };
    const changes: ServerChange[] = [];
    const listening = new AbortController();
    let active: ChangeFilter | undefined;
    const onReady = (agreed: ChangeFilter) => {
      active = agreed;
    };
    const watching = (async () => {
      for await (const change of client.changes(filter, { signal: listening.signal, onReady }))
        changes.push(change);
    })();
    await until(() => expect(active).toEqual(filter));
    server.resourceChanged('menu://today/dropped');
    server.resourceChanged(MENU);
    server.listChanged('resources');
    server.listChanged('tools');
    await until(() => expect(changes).toHaveLength(3));
    expect(changes).toEqual([{ kind: 'resource', uri: MENU }, { kind: 'resources' }, { kind: 'tools' }]);
    expect(sent).toContain('notifications/tools/list_changed');
    listening.abort();
    await watching;
  });

  it('tell once of what the server does not report', async () => {
    const warnings: string[] = [];
    const { client } = await open({ revision, onWarning: message => warnings.push(message) });
    const listening = client.changes({ tools: true, prompts: true }, { onReady: () => ready.push(1) });
    const ready: number[] = [];
    const iterator = listening[Symbol.asyncIterator]();
    const next = iterator.next();
    await until(() => expect(ready).toHaveLength(1));
    expect(warnings).toEqual(['the server does not report changes of the list of prompts']);
    await iterator.return?.();
    await next;
  });
});

describe('a request of an extension to the client', () => {
  const Pick = z.object({ books: z.array(z.string()) });
  const picking = extension({
    id: 'com.example/pick',
    asks: ['com.example/pick'],
    install(server) {
      server.tool('pick', {}, async (_, ctx) => {
        const params = { books: ['Emma', 'Villette'] };
        const picked = await ctx.session?.request('com.example/pick', params);
        return String(picked?.book ?? 'there is no session');
      });
    },
  });
  const methods = { 'com.example/pick': answer(Pick, ({ books }) => ({ book: books[1] })) };
  const extensions = [{ id: 'com.example/pick', methods }];

  it('is answered where the revision lets servers send requests', async () => {
    const { client } = await open({ revision: '2025-11-25', extensions }, { extensions: [picking] });
    expect((await client.callTool('pick')).content).toMatchObject([{ text: 'Villette' }]);
  });

  it('is not sent to a client that did not declare the extension', async () => {
    const { client } = await open({ revision: '2025-11-25' }, { extensions: [picking], onError: () => {} });
    expect(await client.callTool('pick')).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('needs the client capability "extensions.com.example/pick"') },
      ],
    });
  });

  it('has no way on a revision without sessions', async () => {
    const { client } = await open({ extensions }, { extensions: [picking] });
    expect((await client.callTool('pick')).content).toMatchObject([{ text: 'there is no session' }]);
  });
});
