import { expect, it, onTestFinished } from 'vitest';
import { ReplaceableServer, Server, type ServerOptions } from '../../src/server/index.js';
import { connectTest, eachRevision } from '../../src/testing/index.js';

function createServer(version: string, dish: string): Server {
  const server = new Server({ name: 'bistro', version });
  server.tool(dish, {}, () => `${dish} of ${version}`);
  server.resource('menu://today', {}, () => dish);
  return server;
}

eachRevision(it, 'a replaced server reaches clients that are connected, and they are told', async connect => {
  const live = new ReplaceableServer(createServer('1', 'soup'));
  const client = await connect(live);
  await client.watch({ tools: true, resources: ['menu://today'] });
  expect(await client.callTool('soup')).toMatchObject({ content: [{ text: 'soup of 1' }] });

  const next = createServer('2', 'quiche');
  live.replace(next);
  await client.heard.until(({ changes }) => changes.some(({ kind }) => kind === 'tools'));
  expect((await client.tools()).map(({ name }) => name)).toEqual(['quiche']);
  expect(await client.callTool('quiche')).toMatchObject({ content: [{ text: 'quiche of 2' }] });

  next.resourceChanged('menu://today');
  await client.heard.until(({ changes }) => changes.some(({ kind }) => kind === 'resource'));
});

it('a call that is running finishes at the old server', async () => {
  const old = new Server({ name: 'bistro', version: '1' });
  let finish = () => {};
  const started = new Promise<void>(begun => {
    old.tool('stew', {}, async () => {
      const finished = new Promise<void>(resolve => {
        finish = resolve;
      });
      begun();
      await finished;
      return 'old';
    });
  });
  const live = new ReplaceableServer(old);
  const client = await connectTest(live);
  onTestFinished(() => client.close());
  const call = client.callTool('stew');
  await started;
  live.replace(createServer('2', 'stew'));
  finish();
  expect(await call).toMatchObject({ content: [{ text: 'old' }] });
  expect(await client.callTool('stew')).toMatchObject({ content: [{ text: 'stew of 2' }] });
});

it('results of the newest revision name the version of the new server', async () => {
  const live = new ReplaceableServer(createServer('1', 'soup'));
  const client = await connectTest(live, { cache: false });
  onTestFinished(() => client.close());
  live.replace(createServer('2', 'soup'));
  const { _meta } = await client.callTool('soup');
  expect(_meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { version: '2' } });
});

it('says what it needs', () => {
  expect(() => new ReplaceableServer({} as never)).toThrow('ReplaceableServer needs a Server');
  const live = new ReplaceableServer(createServer('1', 'soup'));
  expect(() => live.replace(undefined as never)).toThrow('replace needs a Server');
});

it('gives the servers the options for errors that they leave open', async () => {
  const thrower = (options: ServerOptions = {}) => {
    const server = new Server({ name: 'bistro', version: '1' }, options);
    server.tool('stew', {}, () => {
      throw new Error('burnt');
    });
    return server;
  };
  const reported: string[] = [];
  const onError = (_: unknown, where: string) => void reported.push(where);
  const live = new ReplaceableServer(thrower(), { exposeErrors: true, onError });
  const client = await connectTest(live);
  onTestFinished(() => client.close());
  expect(await client.callTool('stew')).toMatchObject({ content: [{ text: 'burnt' }] });
  expect(reported).toEqual(['tool "stew"']);
  live.replace(thrower({ exposeErrors: false, onError: () => reported.push('own') }));
  expect(await client.callTool('stew')).toMatchObject({ content: [{ text: 'tool "stew" failed' }] });
  expect(reported).toEqual(['tool "stew"', 'own']);
});
