import { describe, expect, test } from 'vitest';
import { createGate } from './gate.js';
import { initializeRequest, LegacyClient } from './legacy-client.js';
import { postJson, readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const REVISION = '2025-03-26';
const ping = (id: string | number) => ({ jsonrpc: '2.0', id, method: 'ping' });
const notification = { jsonrpc: '2.0', method: 'notifications/acme/note' };
const call = (id: string | number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name },
});

async function open(revision = REVISION) {
  const { url } = await serve(
    serverWith(server => {
      server.tool('quiet', {}, () => 'quiet');
      server.tool('chatty', {}, (_args, ctx) => {
        ctx.log.info('about to answer');
        return 'chatty';
      });
      server.tool('look', {}, async (_args, ctx) => `${(await ctx.roots()).length} roots`);
    }),
  );
  return LegacyClient.open(url, { revision, capabilities: { roots: {} } });
}

describe('a batch at 2025-03-26', () => {
  // covers: 2025-03-26/basic/batches-are-received
  // covers: 2025-03-26/transports/http-batch-with-requests-gets-json-or-events
  test('is answered with one response for each request, and none for notifications', async () => {
    const client = await open();
    const response = await client.post([ping(1), notification, call('two', 'quiet'), ping(3)]);
    const { status, headers, text, messages } = await readAnswer(response);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(text.startsWith('[')).toBe(true);
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 3, 'two']);
  });

  test('of one request is answered with a batch of one', async () => {
    const client = await open();
    expect(await (await client.post([ping(1)])).json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  // covers: 2025-03-26/transports/http-batch-without-requests-gets-202
  test('of messages that need no answer is accepted with 202 and no body', async () => {
    const client = await open();
    const response = await client.post([notification, notification]);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  test('with an answer to a question that was not asked here is refused', async () => {
    const client = await open();
    const response = await client.post([notification, { jsonrpc: '2.0', id: 9, result: {} }]);
    expect(response.status).toBe(400);
    expect((await readAnswer(response)).error?.message).toContain('did not ask question 9');
  });

  // covers: 2025-03-26/transports/http-batch-with-requests-gets-json-or-events
  // covers: 2025-03-26/transports/http-stream-has-every-response
  // covers: 2025-03-26/transports/http-stream-ends-after-all-responses
  test('becomes a stream when a handler says something, and ends with all responses', async () => {
    const client = await open();
    const response = await client.post([call(1, 'chatty'), call(2, 'quiet'), call(3, 'chatty')]);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const messages = (await readAnswer(response)).messages.flat();
    expect(messages.filter(({ method }) => method === 'notifications/message')).toHaveLength(2);
    expect(messages.flatMap(({ id }) => id ?? []).sort()).toEqual([1, 2, 3]);
    expect(messages.at(-1)?.result).toBeDefined();
  });

  test('may contain answers to what the server asked', async () => {
    const client = await open();
    const stream = await client.stream('look');
    const { id } = await stream.message();
    expect((await client.post([{ jsonrpc: '2.0', id, result: { roots: [] } }])).status).toBe(202);
    expect((await stream.message()).result.content[0].text).toBe('0 roots');
  });

  test('has an error for a malformed request in it, but none without an id', async () => {
    const warnings: string[] = [];
    const server = serverWith(() => {}, { onWarning: text => warnings.push(text) });
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: REVISION });
    const { status, messages } = await readAnswer(await client.post([ping(1), 5, { jsonrpc: '2.0', id: 2 }]));
    expect(status).toBe(200);
    expect(messages.map(({ id, error }) => [id, error?.code]).sort()).toEqual([
      [1, undefined],
      [2, -32600],
    ]);
    expect(warnings.join()).toContain('a message in a batch has no readable id');
  });

  test('of messages without a readable id is refused with the reason', async () => {
    const response = await (await open()).post([5, notification]);
    expect(response.status).toBe(400);
    expect((await readAnswer(response)).error?.message).toContain('a message must be a JSON object');
  });

  test('leaves a request that was cancelled meanwhile without a response', async () => {
    const started = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('endless', {}, async () => {
          started.open();
          await new Promise(() => {});
        });
      }),
    );
    const client = await LegacyClient.open(url, { revision: REVISION });
    const batch = client.post([call(1, 'endless'), ping(2)]);
    await started.passed;
    await client.notify('notifications/cancelled', { requestId: 1 });
    expect((await readAnswer(await batch)).messages.map(({ id }) => id)).toEqual([2]);
  });

  // covers: 2025-03-26/transports/http-refused-batch-gets-an-error-status
  test('is refused when it is empty', async () => {
    const response = await (await open()).post([]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('empty') },
    });
  });

  test('may have a hundred messages and is refused with more', async () => {
    const client = await open();
    const pings = Array.from({ length: 101 }, (_, index) => ping(index));
    expect((await readAnswer(await client.post(pings.slice(0, 100)))).messages).toHaveLength(100);
    const response = await client.post(pings);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('100') } });
  });

  // covers: 2025-03-26/lifecycle/initialize-is-not-in-a-batch
  test('is refused with initialize in it, inside a session and without one', async () => {
    const client = await open();
    const inside = await client.post([ping(1), initializeRequest()]);
    expect(inside.status).toBe(400);
    expect(await inside.json()).toMatchObject({ error: { message: expect.stringContaining('initialize') } });
    const outside = await postJson(client.url, [initializeRequest({ revision: REVISION })]);
    expect(outside.status).toBe(400);
    expect(outside.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('a batch at another revision', () => {
  test.for(['2024-11-05', '2025-06-18', '2025-11-25'])('is refused with 400 at %s', async revision => {
    const client = await open(revision);
    const response = await client.post([ping(1)]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('batch') },
    });
  });

  test('is refused with 400 at 2026-07-28', async () => {
    const client = await open();
    const response = await postJson(client.url, [ping(1)], { 'mcp-protocol-version': '2026-07-28' });
    expect(response.status).toBe(400);
  });
});
