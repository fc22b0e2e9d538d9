import { describe, expect, test } from 'vitest';
import { ERROR, McpError, type Server, ToolError } from '../../src/server/index.js';
import { SUPPORTED_REVISIONS } from '../../src/vocabulary/index.js';
import { createGate } from './gate.js';
import { envelope, ModernClient, mirror } from './modern-client.js';
import { postJson, readAnswer } from './send.js';
import { serve, serveObserved, serverWith } from './serve.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

function talker(): Server {
  return serverWith(server => {
    server.tool('quiet', {}, () => 'done');
    server.tool('chatty', {}, (_args, ctx) => {
      ctx.log.debug('zero');
      ctx.log.info('one');
      ctx.log.error('two');
      return 'done';
    });
    server.tool('steps', {}, (_args, ctx) => {
      ctx.progress(1, { total: 2 });
      ctx.progress(2, { total: 2 });
      return 'done';
    });
    server.tool('sad', {}, () => {
      throw new ToolError('so sad');
    });
    server.tool('teapot', {}, () => {
      throw new McpError(418, 'I am a teapot');
    });
    server.tool(
      'picky',
      { input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const },
      () => 'n',
    );
    server.tool('roots', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
    server.resource('note://a', {}, () => 'a');
  });
}

describe('the answer to a request', () => {
  // covers: 2026-07-28/basic/result-has-a-type, 2026-07-28/basic/result-has-the-id-of-its-request
  // covers: 2026-07-28/basic/result-response-has-a-result
  // covers: 2026-07-28/streamable-http/answer-is-json-or-events
  test('is plain JSON if there is nothing to say before it', async () => {
    const { url } = await serve(talker());
    const { status, headers, last } = await new ModernClient(url).call('quiet', {}, { id: 'q' });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(last).toMatchObject({
      jsonrpc: '2.0',
      id: 'q',
      result: { resultType: 'complete', content: [{ text: 'done' }] },
    });
  });

  // covers: 2026-07-28/progress/only-tokens-of-open-requests
  // covers: 2026-07-28/streamable-http/answer-is-json-or-events
  // covers: 2026-07-28/streamable-http/response-ends-the-stream
  // covers: 2026-07-28/streamable-http/streams-are-not-buffered
  test('is a stream as soon as there is progress, with the response last and then the end', async () => {
    const { url } = await serve(talker());
    const { headers, messages } = await new ModernClient(url).call(
      'steps',
      {},
      { meta: { progressToken: 'p' } },
    );
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(messages.map(({ method, params }) => [method, params?.progress])).toEqual([
      ['notifications/progress', 1],
      ['notifications/progress', 2],
      [undefined, undefined],
    ]);
    expect(messages.slice(0, 2).every(({ params }) => params.progressToken === 'p')).toBe(true);
    expect(messages.at(-1)?.result).toBeDefined();
  });

  // covers: 2026-07-28/basic/no-context-from-earlier-requests, 2026-07-28/logging/nothing-without-a-level
  test('has logs only if the request asked for a level, and then only those', async () => {
    const { url } = await serve(talker());
    const client = new ModernClient(url);
    const silent = await client.call('chatty');
    expect(silent.headers.get('content-type')).toBe('application/json');
    const errors = await client.call('chatty', {}, { meta: { [LOG_LEVEL]: 'error' } });
    expect(errors.messages.slice(0, -1).map(({ params }) => params.data)).toEqual(['two']);
    const all = await client.call('chatty', {}, { meta: { [LOG_LEVEL]: 'debug' } });
    expect(all.messages.slice(0, -1).map(({ params }) => params.data)).toEqual(['zero', 'one', 'two']);
    // The next request starts anew.
    expect((await client.call('chatty')).messages).toHaveLength(1);
  });

  // covers: 2026-07-28/basic/many-conversations, 2026-07-28/progress/tokens-are-tracked
  // covers: 2026-07-28/streamable-http/notifications-belong-to-the-request
  test('has only what belongs to it, while others run', async () => {
    const together = createGate();
    let running = 0;
    const { url } = await serve(
      serverWith(server => {
        server.tool('steps', {}, async (_args, ctx) => {
          if (++running === 3) together.open();
          await together.passed;
          for (let n = 1; n <= 5; n++) {
            ctx.progress(n);
            await new Promise(resolve => setImmediate(resolve));
          }
          return 'done';
        });
      }),
    );
    const client = new ModernClient(url);
    const tokens = ['a', 'b', 7];
    const answers = await Promise.all(
      tokens.map(progressToken => client.call('steps', {}, { id: progressToken, meta: { progressToken } })),
    );
    answers.forEach(({ messages, last }, index) => {
      expect(messages.slice(0, -1).map(({ params }) => params.progressToken)).toEqual(
        Array(5).fill(tokens[index]),
      );
      expect(last.id).toBe(tokens[index]);
    });
  });

  test('never has event ids, since its stream cannot be resumed', async () => {
    const { url } = await serve(talker());
    const stream = await new ModernClient(url).stream('steps', {}, { meta: { progressToken: 1 } });
    await stream.ended();
    expect(stream.events).toHaveLength(3);
    expect(stream.events.every(({ id, retry }) => id === undefined && retry === undefined)).toBe(true);
  });

  // covers: 2026-07-28/mrtr/questions-are-input-requests, 2026-07-28/patterns/server-sends-no-requests
  // covers: 2026-07-28/streamable-http/no-requests-on-streams
  test('never contains a request of the server', async () => {
    const { url } = await serve(talker());
    const client = new ModernClient(url);
    const { messages } = await client.call('roots', {}, { meta: { [CAPABILITIES]: { roots: {} } } });
    expect(messages.filter(({ method, id }) => method !== undefined && id !== undefined)).toEqual([]);
  });

  // covers: 2026-07-28/streamable-http/last-event-ids-are-ignored
  // covers: 2026-07-28/streamable-http/session-ids-are-ignored
  test('minds neither session ids nor event ids, and gives none out', async () => {
    const { url } = await serve(talker());
    const headers = { 'mcp-session-id': 'from-another-life', 'last-event-id': 'abc.1' };
    const { status, headers: answered, result } = await new ModernClient(url).call('quiet', {}, { headers });
    expect([status, result.content[0].text]).toEqual([200, 'done']);
    expect(answered.get('mcp-session-id')).toBeNull();
    const streamed = await new ModernClient(url).stream('steps', {}, { headers, meta: { progressToken: 1 } });
    expect(streamed.response.headers.get('mcp-session-id')).toBeNull();
    expect(await streamed.rest()).toHaveLength(3);
  });

  // covers: 2026-07-28/basic/result-has-the-id-of-its-request
  test('keeps the id as it was', async () => {
    const { url } = await serve(talker());
    for (const id of [0, -1, 9007199254740991, 'x', '', '1']) {
      expect((await new ModernClient(url).call('quiet', {}, { id })).last.id).toBe(id);
    }
  });
});

describe('a client that goes away', () => {
  // covers: 2026-07-28/cancellation/disconnect-cancels, 2026-07-28/cancellation/server-stops-work
  // covers: 2026-07-28/streamable-http/cancelled-work-stops, 2026-07-28/streamable-http/disconnect-cancels
  // covers: 2026-07-28/streamable-http/nothing-after-cancellation
  test.for(['streaming', 'silent'])('cancels its request, here a %s one', async kind => {
    const started = createGate();
    const aborted = createGate<unknown>();
    const after = createGate();
    const server = serverWith(server => {
      server.tool('endless', {}, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.open(ctx.signal.reason));
        if (kind === 'streaming') ctx.progress(1);
        started.open();
        await aborted.passed;
        ctx.progress(2);
        after.open();
        return 'too late';
      });
    });
    const { url } = await serve(server);
    const controller = new AbortController();
    const call = new ModernClient(url).post(
      'tools/call',
      { name: 'endless' },
      { meta: { progressToken: 1 }, signal: controller.signal },
    );
    call.catch(() => {});
    await started.passed;
    controller.abort();
    expect(await aborted.passed).toMatchObject({ message: expect.stringContaining('disconnected') });
    await after.passed;
    expect((await new ModernClient(url).request('tools/list')).status).toBe(200);
  });

  test('does not cancel the requests of others with the same id', async () => {
    const gate = createGate();
    const started = [createGate(), createGate()];
    let calls = 0;
    const { url, newestClosed } = await serveObserved(
      serverWith(server => {
        server.tool('wait', {}, async (_args, ctx) => {
          started[calls++]?.open();
          await gate.passed;
          return ctx.signal.aborted ? 'aborted' : 'done';
        });
      }),
    );
    const client = new ModernClient(url);
    const stays = client.call('wait', {}, { id: 1 });
    await started[0]!.passed;
    const controller = new AbortController();
    client.post('tools/call', { name: 'wait' }, { id: 1, signal: controller.signal }).catch(() => {});
    await started[1]!.passed;
    controller.abort();
    await newestClosed();
    gate.open();
    expect((await stays).result.content[0].text).toBe('done');
  });
});

describe('the status of a refusal', () => {
  // covers: 2026-07-28/basic/error-has-the-id-of-its-request
  // covers: 2026-07-28/streamable-http/unknown-method-is-404, 2026-07-28/versioning/extension-of-one-side
  test('is 404 with -32601 for a method that is not implemented', async () => {
    const { url } = await serve(talker());
    for (const method of [
      'no/such/method',
      'prompts/list',
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
    ]) {
      const { status, last } = await new ModernClient(url).request(method, {}, { id: 'm' });
      expect([status, last.id, last.error?.code], method).toEqual([404, 'm', -32601]);
    }
  });

  // covers: 2026-07-28/basic/error-has-the-id-of-its-request, 2026-07-28/basic/missing-meta-is-400
  // covers: 2026-07-28/basic/missing-meta-is-refused, 2026-07-28/logging/unknown-level-is-refused
  test.for([
    ['no _meta at all', { _meta: undefined }],
    ['no version', { _meta: { ...envelope(), [VERSION]: undefined } }],
    ['no capabilities', { _meta: { ...envelope(), [CAPABILITIES]: undefined } }],
    ['capabilities that are no object', { _meta: { ...envelope(), [CAPABILITIES]: [] } }],
    [
      'a client without a name',
      { _meta: { ...envelope(), 'io.modelcontextprotocol/clientInfo': { version: '1' } } },
    ],
    ['a log level that does not exist', { _meta: { ...envelope(), [LOG_LEVEL]: 'loud' } }],
  ] as const)('is 400 with -32602 for an envelope with %s', async ([, params]) => {
    const { url } = await serve(talker());
    const body = { jsonrpc: '2.0', id: 3, method: 'tools/list', params };
    const { status, last } = await readAnswer(await postJson(url, body, mirror('tools/list', {})));
    expect([status, last.id, last.error?.code]).toEqual([400, 3, -32602]);
  });

  // covers: 2026-07-28/basic/reserved-codes-as-defined
  // covers: 2026-07-28/streamable-http/unsupported-version-is-400
  // covers: 2026-07-28/versioning/unsupported-version-is-an-error
  test('is 400 with -32022 and the supported versions for a version that is not spoken', async () => {
    const { url } = await serve(talker());
    for (const version of ['2099-01-01', '2025-06-18']) {
      const { status, error } = await new ModernClient(url).request(
        'tools/list',
        {},
        {
          meta: { [VERSION]: version },
          headers: { 'mcp-protocol-version': version },
        },
      );
      expect([status, error?.code]).toEqual([400, -32022]);
      const others = SUPPORTED_REVISIONS.filter(name => name !== version);
      expect(error?.data).toEqual({ supported: others, requested: version });
    }
  });

  // covers: 2026-07-28/basic/missing-capability-is-400, 2026-07-28/basic/missing-capability-is-an-error
  // covers: 2026-07-28/basic/reserved-codes-as-defined
  test('is 400 with -32021 for a capability that the client did not declare', async () => {
    const { url } = await serve(talker());
    const { status, error } = await new ModernClient(url).call('roots');
    expect([status, error?.code]).toEqual([400, -32021]);
    expect(error?.data).toEqual({ requiredCapabilities: { roots: {} } });
  });

  // covers: 2026-07-28/basic/messages-are-json-rpc
  test.for([
    ['not JSON', '{"jsonrpc":', -32700],
    ['not a message', '5', -32600],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', -32600],
  ] as const)('is 400 for a body that is %s', async ([, body, code]) => {
    const { url } = await serve(talker());
    const response = await postJson(url, body, { 'mcp-protocol-version': '2026-07-28' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test('is 200 for what a handler answers, good or bad', async () => {
    const { url } = await serve(talker());
    const client = new ModernClient(url);
    expect(await client.call('sad')).toMatchObject({
      status: 200,
      result: { isError: true, content: [{ text: 'so sad' }] },
    });
    expect(await client.call('teapot')).toMatchObject({ status: 200, error: { code: 418 } });
    expect(await client.call('picky', { n: 'x' })).toMatchObject({ status: 200, result: { isError: true } });
    expect(await client.call('nobody')).toMatchObject({ status: 200, error: { code: ERROR.invalidParams } });
    expect(await client.request('resources/read', { uri: 'note://z' })).toMatchObject({
      status: 200,
      error: { code: -32602 },
    });
  });

  // covers: 2026-07-28/streamable-http/get-and-delete-are-405
  test('is 405 for GET and DELETE', async () => {
    const { url } = await serve(talker());
    for (const method of ['GET', 'DELETE']) {
      const headers = {
        accept: 'text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-session-id': 'x',
      };
      const response = await fetch(url, { method, headers });
      expect([response.status, response.headers.get('allow')], method).toEqual([405, 'POST']);
    }
  });
});

describe('a notification', () => {
  // covers: 2026-07-28/basic/notification-gets-no-response, 2026-07-28/streamable-http/notification-is-202
  test('is accepted with 202 and no body', async () => {
    const { url } = await serve(talker());
    const body = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, _meta: envelope() },
    };
    const response = await postJson(url, body, mirror('notifications/cancelled', {}));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });
});

describe('server/discover', () => {
  // covers: 2026-07-28/discover/implemented, 2026-07-28/discover/server-info
  // covers: 2026-07-28/versioning/discover-is-implemented
  test('tells which revisions are spoken on this endpoint, without a handshake', async () => {
    const { url } = await serve(talker());
    const { result } = await new ModernClient(url).request('server/discover');
    expect(result.supportedVersions).toContain('2026-07-28');
    expect(result.capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true },
    });
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toEqual({
      name: 'under-test',
      version: '1.0.0',
    });
  });
});
