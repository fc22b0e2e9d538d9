import { describe, expect, test } from 'vitest';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve, serveObserved, serverWith } from './serve.js';
import { countWatchers } from './watchers.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note://a'],
};

function library(): Server {
  return serverWith(server => {
    server.tool('greet', {}, () => 'hello');
    server.prompt('welcome', {}, () => 'hello');
    server.resource('note://a', {}, () => 'a');
  });
}

let added = 0;

function addTool(server: Server): void {
  server.tool(`added-${++added}`, {}, () => 'new');
}

describe('subscriptions/listen', () => {
  // covers: 2026-07-28/streamable-http/streams-are-not-buffered
  // covers: 2026-07-28/subscriptions/acknowledged-first
  // covers: 2026-07-28/subscriptions/nothing-before-the-acknowledgement
  test('is answered with a stream that first acknowledges what was asked', async () => {
    const { url } = await serve(library());
    const stream = await new ModernClient(url).listen(ALL, 1);
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    expect(await stream.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [SUBSCRIPTION]: 1 }, notifications: ALL },
    });
  });

  // covers: 2026-07-28/basic/notifications-have-a-subscription-id, 2026-07-28/prompts/changes-are-announced
  // covers: 2026-07-28/resources/changes-are-announced, 2026-07-28/tools/changes-are-announced
  test('delivers each kind of change that was asked for', async () => {
    const server = library();
    const { url } = await serve(server);
    const stream = await new ModernClient(url).listen(ALL, 1);
    await stream.message();
    addTool(server);
    expect(await stream.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [SUBSCRIPTION]: 1 } },
    });
    server.prompt('another', {}, () => 'hi');
    expect((await stream.message()).method).toBe('notifications/prompts/list_changed');
    server.resource('note://b', {}, () => 'b');
    expect((await stream.message()).method).toBe('notifications/resources/list_changed');
    server.resourceChanged('note://a');
    expect(await stream.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { _meta: { [SUBSCRIPTION]: 1 }, uri: 'note://a' },
    });
  });

  // covers: 2026-07-28/subscriptions/only-what-was-requested
  test('delivers nothing that was not asked for', async () => {
    const server = library();
    const { url } = await serve(server);
    const stream = await new ModernClient(url).listen({ promptsListChanged: true, toolsListChanged: false });
    expect((await stream.message()).params.notifications).toEqual({ promptsListChanged: true });
    addTool(server);
    server.resourceChanged('note://a');
    server.resource('note://b', {}, () => 'b');
    server.prompt('another', {}, () => 'hi');
    expect((await stream.message()).method).toBe('notifications/prompts/list_changed');
  });

  test('delivers updates of the resources that were named and of no other', async () => {
    const server = library();
    for (const uri of ['note://b', 'note://c']) server.resource(uri, {}, () => '');
    const { url } = await serve(server);
    const stream = await new ModernClient(url).listen({ resourceSubscriptions: ['note://b', 'note://a'] });
    await stream.message();
    server.resourceChanged('note://c');
    server.resourceChanged('note://a');
    expect((await stream.message()).params.uri).toBe('note://a');
    server.resourceChanged('note://b');
    expect((await stream.message()).params.uri).toBe('note://b');
  });

  test('acknowledges only what the server can deliver', async () => {
    const { url } = await serve(serverWith(server => server.tool('greet', {}, () => 'hello')));
    const stream = await new ModernClient(url).listen({ ...ALL, nobodyKnows: true });
    expect((await stream.message()).params.notifications).toEqual({ toolsListChanged: true });
  });

  // covers: 2026-07-28/basic/notifications-have-a-subscription-id
  test.for([1, 0, -7, 'one', '1', '', 'с пробелом'])(
    'tags everything with the id of the request as it was: %j',
    async id => {
      const server = library();
      const listening = await serve(server);
      const stream = await new ModernClient(listening.url).listen({ toolsListChanged: true }, id);
      const acknowledged = await stream.message();
      addTool(server);
      const changed = await stream.message();
      await listening.close();
      const closing = await stream.message();
      expect(acknowledged.params._meta).toEqual({ [SUBSCRIPTION]: id });
      expect(changed.params._meta).toEqual({ [SUBSCRIPTION]: id });
      expect(closing.id).toBe(id);
      expect(closing.result._meta[SUBSCRIPTION]).toBe(id);
    },
  );

  // covers: 2026-07-28/subscriptions/graceful-end
  test('ends with a result when the server closes', async () => {
    const listening = await serve(library());
    const stream = await new ModernClient(listening.url).listen({ toolsListChanged: true }, 'sub');
    await stream.message();
    await listening.close();
    expect(await stream.rest()).toMatchObject([
      { jsonrpc: '2.0', id: 'sub', result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'sub' } } },
    ]);
    expect(await stream.ended()).toBe(true);
  });

  test('can be open several times at once, each with its own filter and id', async () => {
    const server = library();
    const { url } = await serve(server);
    const client = new ModernClient(url);
    const tools = await client.listen({ toolsListChanged: true }, 1);
    const sameId = await client.listen({ promptsListChanged: true }, 1);
    const both = await client.listen({ toolsListChanged: true, promptsListChanged: true }, 'both');
    for (const stream of [tools, sameId, both]) await stream.message();
    addTool(server);
    expect((await tools.message()).params._meta[SUBSCRIPTION]).toBe(1);
    expect((await both.message()).params._meta[SUBSCRIPTION]).toBe('both');
    server.prompt('another', {}, () => 'hi');
    expect((await sameId.message()).method).toBe('notifications/prompts/list_changed');
    expect((await both.message()).method).toBe('notifications/prompts/list_changed');
  });

  test('ends at once, after the acknowledgement, if there is nothing to deliver', async () => {
    const { url } = await serve(library());
    for (const filter of [
      {},
      { toolsListChanged: false },
      { resourceSubscriptions: [] },
      { unknown: true },
    ]) {
      const messages = await (await new ModernClient(url).listen(filter, 'n')).rest();
      expect(messages).toMatchObject([
        { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
        { id: 'n', result: { _meta: { [SUBSCRIPTION]: 'n' } } },
      ]);
    }
  });

  test.for([
    undefined,
    null,
    [],
    'tools',
    { toolsListChanged: 'yes' },
    { resourceSubscriptions: 'note://a' },
    { resourceSubscriptions: [1] },
  ])('is refused with -32602 for the filter %j, without a stream', async notifications => {
    const { url } = await serve(library());
    const { headers, error } = await new ModernClient(url).request('subscriptions/listen', { notifications });
    expect(headers.get('content-type')).toBe('application/json');
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('notifications') });
  });

  // covers: 2026-07-28/cancellation/server-frees-resources
  test('ends when the client closes the stream, and nothing is left behind', async () => {
    const server = library();
    const watchers = countWatchers(server);
    const { url, newestClosed } = await serveObserved(server);
    const before = watchers();
    const stream = await new ModernClient(url).listen({ toolsListChanged: true });
    await stream.message();
    expect(watchers()).toBe(before + 1);
    stream.cut();
    await newestClosed();
    await new Promise(resolve => setImmediate(resolve));
    expect(watchers()).toBe(before);
  });

  // covers: 2026-07-28/logging/only-on-the-stream-of-the-request
  // covers: 2026-07-28/streamable-http/notifications-belong-to-the-request
  test('carries no progress, logs or results of other requests', async () => {
    const server = library();
    server.tool('chatty', {}, (_args, ctx) => {
      ctx.log.info('hello');
      ctx.progress(1);
      return 'done';
    });
    const { url } = await serve(server);
    const client = new ModernClient(url);
    const stream = await client.listen(ALL);
    await stream.message();
    await client.call(
      'chatty',
      {},
      { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } },
    );
    server.resourceChanged('note://a');
    expect((await stream.message()).method).toBe('notifications/resources/updated');
  });

  test('shows that it is alive on a quiet stream', async () => {
    const { url } = await serve(library(), { heartbeatMs: 5 });
    expect(await (await new ModernClient(url).listen(ALL)).comment()).toMatch(/^:/);
  });

  test('hears of a tool that was the first of a kind declared beforehand', async () => {
    const server = new Server(
      { name: 'late', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    );
    const { url } = await serve(server);
    const stream = await new ModernClient(url).listen({ toolsListChanged: true });
    await stream.message();
    addTool(server);
    expect((await stream.message()).method).toBe('notifications/tools/list_changed');
  });

  test('is not confused by the change notices of sessions', async () => {
    const server = library();
    const { url } = await serve(server);
    const notices = await (await LegacyClient.open(url)).notices();
    const stream = await new ModernClient(url).listen({ toolsListChanged: true }, 'm');
    await stream.message();
    addTool(server);
    expect(await notices.message()).not.toHaveProperty('params');
    expect((await stream.message()).params._meta).toEqual({ [SUBSCRIPTION]: 'm' });
  });
});
