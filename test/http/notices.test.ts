import { describe, expect, test } from 'vitest';
import type { Server } from '../../src/server/index.js';
import { until } from '../interop-client/until.js';
import type { EventStream } from './event-stream.js';
import { LegacyClient } from './legacy-client.js';
import { serve, serverWith } from './serve.js';

function library(): Server {
  return serverWith(server => {
    server.tool('greet', {}, () => 'hello');
    server.prompt('welcome', {}, () => 'hello');
    server.resource('note://a', {}, () => 'a');
    server.resource('note://b', {}, () => 'b');
  });
}

let added = 0;

/** Changes the list of tools, which every client hears of that listens. */
function addTool(server: Server): void {
  server.tool(`added-${++added}`, {}, () => 'new');
}

function methods(stream: EventStream): unknown[] {
  return stream.events.flatMap(({ data }) => (data ? [JSON.parse(data).method] : []));
}

describe('a GET', () => {
  // covers: 2025-06-18/transports/http-get-gets-events-or-405
  // covers: 2025-06-18/transports/http-one-endpoint-for-post-and-get
  test('opens a stream with the headers of one', async () => {
    const { url } = await serve(library());
    const { response } = await (await LegacyClient.open(url)).notices();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
  });

  test('is refused with 406 unless it accepts an event stream', async () => {
    const { url } = await serve(library());
    const client = await LegacyClient.open(url);
    for (const accept of ['application/json', 'text/html', 'text/event-stream;q=0']) {
      expect((await client.get({ accept })).status, accept).toBe(406);
    }
  });

  test('is refused with 400 without a session id', async () => {
    const { url } = await serve(library());
    const response = await fetch(url, { headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(400);
  });

  test('is refused with 404 for an unknown session', async () => {
    const { url } = await serve(library());
    const client = await LegacyClient.open(url);
    expect((await client.get({ 'mcp-session-id': 'nobody' })).status).toBe(404);
  });
});

describe('a stream for notices', () => {
  test('ends when its session opens sixteen more, instead of staying open and silent', async () => {
    const { url } = await serve(library());
    const client = await LegacyClient.open(url);
    const first = await client.notices();
    for (let n = 0; n < 16; n++) await client.notices();
    expect(await first.ended()).toBe(true);
  });

  // covers: 2025-06-18/tools/list-changes-are-told, 2025-06-18/prompts/list-changes-are-told
  // covers: 2025-06-18/resources/list-changes-are-told
  test.for(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'tells of changes to the lists at %s',
    async revision => {
      const server = library();
      const { url } = await serve(server);
      const notices = await (await LegacyClient.open(url, { revision })).notices();
      addTool(server);
      expect(await notices.message()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      server.prompt('another', {}, () => 'hi');
      expect((await notices.message()).method).toBe('notifications/prompts/list_changed');
      server.resource('note://c', {}, () => 'c');
      expect((await notices.message()).method).toBe('notifications/resources/list_changed');
    },
  );

  // covers: 2025-06-18/schema/updates-need-a-subscription
  test('tells of a resource to those who subscribed to it, until they unsubscribe', async () => {
    const server = library();
    const { url } = await serve(server);
    const [reader, other] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    const [heard, unheard] = [await reader.notices(), await other.notices()];
    expect((await reader.request('resources/subscribe', { uri: 'note://a' })).result).toEqual({});
    await other.request('resources/subscribe', { uri: 'note://b' });

    server.resourceChanged('note://a');
    expect(await heard.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'note://a' },
    });
    await reader.request('resources/unsubscribe', { uri: 'note://a' });
    server.resourceChanged('note://a');
    // The end mark: everything before it would have come before it.
    addTool(server);
    expect((await heard.message()).method).toBe('notifications/tools/list_changed');
    expect((await unheard.message()).method).toBe('notifications/tools/list_changed');
  });

  test('may be opened after the subscription', async () => {
    const server = library();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    await client.request('resources/subscribe', { uri: 'note://a' });
    const notices = await client.notices();
    server.resourceChanged('note://a');
    expect((await notices.message()).params).toEqual({ uri: 'note://a' });
  });

  // covers: 2025-06-18/transports/http-message-is-sent-on-one-stream
  test('gets each message alone when the client has several', async () => {
    const server = library();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const streams = [await client.notices(), await client.notices(), await client.notices()];
    for (let round = 0; round < 5; round++) {
      addTool(server);
      await Promise.race(streams.map(stream => stream.next()));
    }
    await client.delete();
    await Promise.all(streams.map(stream => stream.ended()));
    expect(streams.flatMap(methods)).toEqual(Array(5).fill('notifications/tools/list_changed'));
  });

  test('takes over from a newer one that was closed', async () => {
    const server = library();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const older = await client.notices();
    const newer = await client.notices();
    newer.cut();
    // Until the server has noticed, messages are kept for the stream that is gone.
    await until(() => {
      addTool(server);
      expect(methods(older)).toContain('notifications/tools/list_changed');
    });
  });

  // covers: 2025-06-18/transports/http-get-stream-has-no-response
  test('never carries the response to a request', async () => {
    const server = library();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const notices = await client.notices();
    await client.call('greet');
    await client.request('tools/list');
    await client.delete();
    expect(await notices.rest()).toEqual([]);
  });

  // covers: 2025-06-18/transports/http-stream-is-about-its-request
  // covers: 2025-06-18/transports/http-get-stream-is-not-about-requests
  test('is the only way for changes: a response stream has no part in them', async () => {
    const server = library();
    server.tool('grow', {}, async (_args, ctx) => {
      ctx.log.info('growing');
      addTool(server);
      await heard;
      return 'grown';
    });
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const notices = await client.notices();
    const heard = notices.message();
    const { messages } = await client.call('grow');
    expect(messages.map(({ method }) => method)).toEqual(['notifications/message', undefined]);
    expect((await heard).method).toBe('notifications/tools/list_changed');
  });

  test('ends when the server closes', async () => {
    const listening = await serve(library());
    const client = await LegacyClient.open(listening.url);
    const notices = await client.notices();
    await listening.close();
    expect(await notices.ended()).toBe(true);
  });
});
