import { describe, expect, test } from 'vitest';
import type { ListenOptions } from '../../src/node/index.js';
import { createGate } from './gate.js';
import { initializeRequest } from './legacy-client.js';
import { getStream, postJson } from './send.js';
import { serve, serveObserved, serverWith } from './serve.js';
import { SseClient } from './sse-client.js';
import { countWatchers } from './watchers.js';

function talker() {
  return serverWith(server => {
    server.tool('greet', {}, () => 'hello');
    server.tool('chatty', {}, (_args, ctx) => {
      ctx.log.info('one');
      return 'done';
    });
    server.tool('look', {}, async (_args, ctx) => `${(await ctx.roots()).length} roots`);
    server.resource('note://a', {}, () => 'a');
  });
}

async function serveSse(server = talker(), options: ListenOptions = {}) {
  const { url, close } = await serve(server, { sse: true, ...options });
  return { url: new URL('/sse', url).href, mcp: url, close };
}

describe('the HTTP+SSE transport', () => {
  // covers: 2024-11-05/transports/sse-endpoint-event
  test('begins its stream with an endpoint event', async () => {
    const { url } = await serveSse();
    const stream = await getStream(url);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    const { event, data } = (await stream.next())!;
    expect(event).toBe('endpoint');
    expect(data).toMatch(/^\/messages\?sessionId=\S+$/);
  });

  // covers: 2024-11-05/transports/sse-two-endpoints, 2025-06-18/transports/server-keeps-the-old-endpoints
  test('accepts messages with 202 and answers them on the stream as message events', async () => {
    const { url } = await serveSse();
    const client = await SseClient.connect(url);
    const response = await client.post(initializeRequest({ revision: '2024-11-05' }));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
    const event = await client.stream.next();
    expect(event?.event).toBe('message');
    expect(JSON.parse(event!.data!)).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } });
    expect((await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    await client.call('g', 'greet');
    expect(await client.stream.message()).toMatchObject({
      id: 'g',
      result: { content: [{ text: 'hello' }] },
    });
  });

  test('carries logs, questions and their answers', async () => {
    const { url } = await serveSse();
    const client = await SseClient.open(url, { roots: {} });
    await client.call(1, 'chatty');
    expect((await client.stream.message()).method).toBe('notifications/message');
    expect((await client.stream.message()).id).toBe(1);
    await client.call(2, 'look');
    const question = await client.stream.message();
    expect(question.method).toBe('roots/list');
    expect((await client.post({ jsonrpc: '2.0', id: question.id, result: { roots: [] } })).status).toBe(202);
    expect(await client.stream.message()).toMatchObject({
      id: 2,
      result: { content: [{ text: '0 roots' }] },
    });
  });

  test('ends a question whose answer is malformed', async () => {
    const { url } = await serveSse();
    const client = await SseClient.open(url, { roots: {} });
    await client.call('l', 'look');
    const { id } = await client.stream.message();
    expect((await client.post({ jsonrpc: '2.0', id, result: null })).status).toBe(400);
    expect([await client.stream.message()]).toEqual([
      {
        jsonrpc: '2.0',
        id: 'l',
        result: {
          content: [
            {
              type: 'text',
              text: "the client's answer to roots/list is malformed: result must be an object",
            },
          ],
          isError: true,
        },
      },
    ]);
  });

  test('answers ping, and refuses everything else before initialize', async () => {
    const { url } = await serveSse();
    const client = await SseClient.connect(url);
    await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await client.stream.message()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await client.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await client.stream.message()).toMatchObject({ id: 2, error: { code: -32600 } });
  });

  test('tells of changes to those who are connected', async () => {
    const server = talker();
    const { url } = await serveSse(server);
    const [reader, other] = [await SseClient.open(url), await SseClient.open(url)];
    await reader.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note://a' } });
    await reader.stream.message();
    server.resourceChanged('note://a');
    server.tool('new', {}, () => 'new');
    const methods = [(await reader.stream.message()).method, (await reader.stream.message()).method];
    expect(methods).toEqual(['notifications/resources/updated', 'notifications/tools/list_changed']);
    expect((await other.stream.message()).method).toBe('notifications/tools/list_changed');
  });

  test('cancels a request when asked to, and does not answer it', async () => {
    const started = createGate();
    const aborted = createGate();
    const server = serverWith(server => {
      server.tool('endless', {}, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.open());
        started.open();
        await new Promise(() => {});
      });
    });
    const { url } = await serveSse(server);
    const client = await SseClient.open(url);
    await client.call('e', 'endless');
    await started.passed;
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'e' } });
    await aborted.passed;
    await client.post({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    expect((await client.stream.message()).id).toBe('p');
  });

  test('cancels the calls of a client whose stream is closed, and forgets the client', async () => {
    const started = createGate();
    const aborted = createGate();
    const server = serverWith(server => {
      server.tool('endless', {}, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.open());
        started.open();
        await new Promise(() => {});
      });
    });
    const { url } = await serveSse(server);
    const client = await SseClient.open(url);
    await client.call(1, 'endless');
    await started.passed;
    client.stream.cut();
    await aborted.passed;
    expect((await client.call(2, 'endless')).status).toBe(404);
  });

  test('refuses a message for an unknown stream with 404', async () => {
    const { url } = await serveSse();
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const messages = new URL('/messages', url).href;
    expect((await postJson(messages, ping)).status).toBe(404);
    expect((await postJson(`${messages}?sessionId=`, ping)).status).toBe(404);
    expect((await postJson(`${messages}?sessionId=00000000-0000-4000-8000-000000000000`, ping)).status).toBe(
      404,
    );
  });

  test('keeps the streams of several clients apart', async () => {
    const { url } = await serveSse();
    const [one, other] = [await SseClient.open(url), await SseClient.open(url)];
    expect(one.endpoint).not.toBe(other.endpoint);
    await Promise.all([one.call(1, 'greet'), other.call(1, 'chatty')]);
    expect((await one.stream.message()).result.content[0].text).toBe('hello');
    expect((await other.stream.message()).method).toBe('notifications/message');
  });

  test('goes on after a text that is not a message', async () => {
    const { url } = await serveSse();
    const client = await SseClient.open(url);
    expect((await client.post('{"jsonrpc":')).status).toBe(400);
    expect((await client.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).status).toBe(400);
    await client.post({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(await client.stream.message()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  describe.each<[string, ListenOptions]>([
    ['open', {}],
    ['protected', { authenticate: () => ({ principal: 'alice' }) }],
  ])('of an %s server', (_, options) => {
    const withRules = serverWith(server => server.tool('secret', { scopes: ['all'] }, () => 'secret'));
    test.for<[string, unknown, number, string]>([
      ['half a message', '{', -32700, 'not valid JSON'],
      ['a number', '5', -32600, 'must be a JSON object'],
      ['an id that is none', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32600, 'id must be'],
      ['a broken notification', { jsonrpc: '2.0', method: 'notifications/a', params: 5 }, -32602, 'params'],
      ['an answer that nobody asked for', { jsonrpc: '2.0', id: 77, result: {} }, -32600, 'question 77'],
      ['a message that is too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`, -32600, 'nested'],
    ])('refuses %s with 400 and the reason', async ([, body, code, reason]) => {
      const { url } = await serveSse(options.authenticate ? withRules : talker(), options);
      const client = await SseClient.open(url);
      const response = await client.post(body);
      expect(response.status).toBe(400);
      const answer = (await response.json()) as { error: { message: string } };
      expect(answer).toEqual({ jsonrpc: '2.0', error: { code, message: expect.stringContaining(reason) } });
      await client.post({ jsonrpc: '2.0', id: 'p', method: 'ping' });
      expect(await client.stream.message()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    });
  });

  // covers: 2025-06-18/transports/http-unknown-version-header-gets-400
  test.for(['1999-01-01', '2025-11-25', '2026-07-28'])(
    'refuses a message whose header names revision %s, which no session of the server speaks',
    async version => {
      const { url } = await serveSse(talker(), { revisions: ['2024-11-05', '2025-06-18'] });
      const client = await SseClient.open(url);
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const refused = await postJson(client.endpoint, ping, { 'mcp-protocol-version': version });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        error: { code: -32022, data: { supported: ['2025-06-18', '2024-11-05'], requested: version } },
      });
      const taken = await postJson(client.endpoint, ping, { 'mcp-protocol-version': '2025-06-18' });
      expect(taken.status).toBe(202);
      expect(await client.stream.message()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    },
  );

  test('refuses a stream and a handshake whose header names an unknown revision', async () => {
    const { url } = await serveSse();
    const header = { 'mcp-protocol-version': '1999-01-01' };
    expect((await fetch(url, { headers: { accept: 'text/event-stream', ...header } })).status).toBe(400);
    const client = await SseClient.connect(url);
    const request = initializeRequest({ revision: '2024-11-05' });
    expect((await postJson(client.endpoint, request, header)).status).toBe(400);
    const newer = { 'mcp-protocol-version': '2026-07-28' };
    expect((await postJson(client.endpoint, request, newer)).status).toBe(202);
    expect((await client.stream.message()).result.protocolVersion).toBe('2024-11-05');
  });

  test('is for the principal alone who opened the stream', async () => {
    const authenticate = (request: { header(name: string): string | undefined }) => {
      return { principal: request.header('authorization') ?? 'nobody' };
    };
    const { url } = await serveSse(talker(), { authenticate });
    const client = await SseClient.open(url, {}, { authorization: 'alice' });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await postJson(client.endpoint, ping, { authorization: 'mallory' })).status).toBe(404);
    expect((await client.post(ping)).status).toBe(202);
  });

  test('shows that it is alive on a quiet stream', async () => {
    const { url } = await serveSse(talker(), { heartbeatMs: 5 });
    expect(await (await SseClient.open(url)).stream.comment()).toMatch(/^:/);
  });

  test('may have other paths, and is not there unless asked for', async () => {
    const own = await serve(talker(), { sse: { stream: '/old/stream', messages: '/old/post' } });
    const client = await SseClient.open(new URL('/old/stream', own.url).href);
    expect(new URL(client.endpoint).pathname).toBe('/old/post');
    await client.call(1, 'greet');
    expect((await client.stream.message()).id).toBe(1);
    expect((await fetch(new URL('/sse', own.url))).status).toBe(404);

    const without = await serve(talker());
    expect((await fetch(new URL('/sse', without.url))).status).toBe(404);
    expect((await fetch(new URL('/messages', without.url), { method: 'POST' })).status).toBe(404);
  });

  test('may open its stream on the MCP endpoint itself, where old clients look first', async () => {
    const { url } = await serve(talker(), { sse: { stream: '/mcp', messages: '/mcp-messages' } });
    const client = await SseClient.open(url);
    await client.call(1, 'greet');
    expect((await client.stream.message()).id).toBe(1);
  });

  test('refuses a body that is too large, and one that does not claim to be JSON', async () => {
    const { url } = await serveSse(talker(), { maxBodyBytes: 1000 });
    const client = await SseClient.open(url);
    expect((await client.post(`"${'x'.repeat(2000)}"`)).status).toBe(413);
    const plain = await fetch(client.endpoint, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(plain.status).toBe(415);
  });

  test('ends its streams when the server closes', async () => {
    const { url, handler } = await serveObserved(talker(), { sse: true });
    const client = await SseClient.open(new URL('/sse', url).href);
    await handler.close();
    expect(await client.stream.ended()).toBe(true);
  });

  test('finishes a call before it ends its stream when the server closes', async () => {
    const [started, finish] = [createGate(), createGate()];
    const server = serverWith(server => {
      server.tool('slow', {}, async () => {
        started.open();
        await finish.passed;
        return 'finished';
      });
    });
    const { url, handler } = await serveObserved(server, { sse: true });
    const client = await SseClient.open(new URL('/sse', url).href);
    await client.call(1, 'slow');
    await started.passed;
    const closed = handler.close();
    finish.open();
    expect((await client.stream.message()).result.content[0].text).toBe('finished');
    await closed;
    expect(await client.stream.ended()).toBe(true);
  });

  test('keeps nothing of a client that leaves while it is being authenticated', async () => {
    const [arrived, leave] = [createGate(), createGate()];
    const server = talker();
    const watchers = countWatchers(server);
    const { url, newestClosed } = await serveObserved(server, {
      sse: true,
      async authenticate() {
        arrived.open();
        await leave.passed;
        return undefined;
      },
    });
    const before = watchers();
    const controller = new AbortController();
    const request = fetch(new URL('/sse', url), { signal: controller.signal });
    await arrived.passed;
    controller.abort();
    await expect(request).rejects.toThrow();
    await newestClosed();
    leave.open();
    await new Promise(resolve => setImmediate(resolve));
    expect(watchers()).toBe(before);
  });
});
