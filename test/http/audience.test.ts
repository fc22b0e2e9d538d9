import { describe, expect, test } from 'vitest';
import type { ListenOptions } from '../../src/node/index.js';
import { Server, type Session } from '../../src/server/index.js';
import type { EventStream } from './event-stream.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve } from './serve.js';

const FILTER = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///menu'],
};

function create(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  server.prompt('welcome', {}, () => 'hello');
  server.resource('file:///{+path}', {}, ({ path }) => path);
  server.resource('file:///menu/secret', { scopes: ['chef'] }, () => 'secret');
  return server;
}

const authenticate: ListenOptions['authenticate'] = ({ header }) => ({
  principal: header('x-user') ?? 'nobody',
});

async function listen(url: string, user: string): Promise<EventStream> {
  const stream = await new ModernClient(url, { 'x-user': user }).listen(FILTER, 1);
  await stream.message();
  return stream;
}

async function watch(url: string, user: string): Promise<EventStream> {
  const client = await LegacyClient.open(url, { headers: { 'x-user': user } });
  await client.request('resources/subscribe', { uri: 'file:///menu' });
  return client.notices();
}

describe.each([
  ['a listen stream', listen],
  ['a GET stream', watch],
])('over %s', (_, open) => {
  test('a change of a list for one principal is told to no other', async () => {
    const server = create();
    const { url } = await serve(server, { authenticate });
    const [ada, bob] = [await open(url, 'ada'), await open(url, 'bob')];
    server.listChanged('tools', { principal: 'ada' });
    server.listChanged('prompts', { principal: 'bob' });
    server.listChanged('resources');
    const heard = async (stream: EventStream) => [
      (await stream.message()).method,
      (await stream.message()).method,
    ];
    const last = 'notifications/resources/list_changed';
    expect(await heard(ada)).toEqual(['notifications/tools/list_changed', last]);
    expect(await heard(bob)).toEqual(['notifications/prompts/list_changed', last]);
  });

  test('an update of a part of a resource is told to those who watch the whole', async () => {
    const server = create();
    const { url } = await serve(server, { authenticate });
    const stream = await open(url, 'ada');
    for (const uri of ['file:///menus', 'file:///menu/soup', 'file:///menu/secret', 'file:///menu#pie'])
      server.resourceChanged(uri);
    expect((await stream.message()).params.uri).toBe('file:///menu/soup');
    // Access to the secret one is restricted, so its name is not told.
    expect((await stream.message()).params.uri).toBe('file:///menu#pie');
  });
});

test('a tool is shown to one session while it lives, and only that client hears of it', async () => {
  const server = create();
  const unlocked = ({ session }: { session: Session | undefined }) =>
    session?.values.has('unlocked') ?? false;
  server.tool('refund', { authorize: unlocked, hidden: 'unless-allowed' }, () => 'refunded');
  server.tool('unlock', {}, (_, { session }) => {
    session?.values.set('unlocked', true);
    if (session) server.listChanged('tools', { session });
    server.listChanged('prompts');
  });
  const { url } = await serve(server);
  const [ada, bob] = [await LegacyClient.open(url), await LegacyClient.open(url)];
  const [adaHears, bobHears] = [await ada.notices(), await bob.notices()];
  const names = async (client: LegacyClient) =>
    (await client.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  expect(await names(ada)).toEqual(['greet', 'unlock']);

  await ada.call('unlock');
  expect((await adaHears.message()).method).toBe('notifications/tools/list_changed');
  expect((await bobHears.message()).method).toBe('notifications/prompts/list_changed');
  expect(await names(ada)).toEqual(['greet', 'refund', 'unlock']);
  expect(await names(bob)).toEqual(['greet', 'unlock']);
  expect((await ada.call('refund')).result.content).toEqual([{ type: 'text', text: 'refunded' }]);
  expect((await bob.call('refund')).error?.message).toBe('unknown tool: refund');
});
