import { describe, expect, test } from 'vitest';
import { bearer } from '../../src/client/auth/index.js';
import type { ConnectOptions } from '../../src/client/index.js';
import { connect, InvalidAnswer, RequestTimeout } from '../../src/node/client/index.js';
import { connected, failure, serveRaw } from '../client-faults/connected.js';
import { type Answer, type Ask, legacy, type RawServer } from '../client-faults/raw-server.js';
import { pair, REVISION } from './raw-pair.js';

/** What the client sent, in order: methods of JSON-RPC, or of HTTP where there is none. */
function methods({ asks }: RawServer): string[] {
  return asks.map(ask => ask.method);
}

/** Answers a call of a tool when the test says so. */
function later(): { answer: Answer; asked: Promise<Ask> } {
  let tell: (ask: Ask) => void;
  const asked = new Promise<Ask>(resolve => {
    tell = resolve;
  });
  return { answer: ask => tell(ask), asked };
}

describe('a client of 2025-06-18 that connects', () => {
  // covers: 2025-06-18/lifecycle/client-initializes-first, 2025-06-18/lifecycle/client-sends-initialized
  // covers: 2025-06-18/lifecycle/client-asks-for-a-version-it-supports
  test('begins with initialize, and goes on with notifications/initialized', async () => {
    const { server, client } = await pair(
      { 'tools/list': ask => ask.result({ tools: [] }) },
      { info: { name: 'host', version: '2.0.0' } },
    );
    await client.tools();
    expect(methods(server).filter(method => method !== 'GET')).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
    expect(server.of('initialize')[0]!.message.params).toEqual({
      protocolVersion: REVISION,
      capabilities: {},
      clientInfo: { name: 'host', version: '2.0.0' },
    });
  });

  // covers: 2025-06-18/lifecycle/client-asks-for-its-latest-version
  test('asks for the newest handshake revision if it may speak any', async () => {
    const server = await serveRaw(legacy({}));
    await connected(server.url);
    expect(server.of('initialize')[0]!.message.params.protocolVersion).toBe('2025-11-25');
  });

  // covers: 2025-06-18/lifecycle/client-waits-for-the-initialize-response
  test('sends nothing else before initialize is answered', async () => {
    const greeting = later();
    const server = await serveRaw(legacy({ initialize: greeting.answer }));
    const connecting = connect(server.url, { revision: REVISION });
    const ask = await greeting.asked;
    // A message that did not wait for the answer would come before this one.
    await fetch(server.url, { method: 'POST', body: '{"method":"mark"}' });
    expect(methods(server)).toEqual(['initialize', 'mark']);
    ask.result({ protocolVersion: REVISION, capabilities: {}, serverInfo: { name: 's', version: '1' } });
    await (await connecting).close();
  });

  // covers: 2025-06-18/cancellation/client-does-not-cancel-initialize, 2025-06-18/schema/initialize-is-not-cancelled
  test('never cancels initialize, neither when it is given up nor when it takes too long', async () => {
    for (const giveUp of ['abort', 'timeout']) {
      const greeting = later();
      const server = await serveRaw(legacy({ initialize: greeting.answer }));
      const controller = new AbortController();
      const connecting = connect(server.url, {
        revision: REVISION,
        signal: controller.signal,
        timeoutMs: giveUp === 'timeout' ? 50 : 60_000,
      });
      const failed = failure(connecting);
      await greeting.asked;
      if (giveUp === 'abort') controller.abort();
      await failed;
      await fetch(server.url, { method: 'POST', body: '{"method":"mark"}' });
      expect(methods(server)).not.toContain('notifications/cancelled');
    }
  });
});

describe('every HTTP request of a client of 2025-06-18', () => {
  async function useEverything(): Promise<RawServer> {
    const controller = new AbortController();
    const { server, client } = await pair(
      {
        GET: ask => ask.stream(),
        'tools/list': ask => ask.result({ tools: [] }),
        'tools/call': ask => ask.stream().event({ jsonrpc: '2.0', id: 'q', method: 'ping' }),
        POST: ask => {
          ask.send(202);
          controller.abort();
        },
      },
      { onElicit: () => ({ action: 'cancel' }), roots: [{ uri: 'file:///work' }] },
    );
    await client.tools();
    await client.callTool('endless', {}, { signal: controller.signal }).catch(() => {});
    await client.setRoots([{ uri: 'file:///home' }]);
    await client.close();
    expect(methods(server)).toEqual(
      expect.arrayContaining(['GET', 'POST', 'notifications/cancelled', 'DELETE']),
    );
    return server;
  }

  // covers: 2025-06-18/transports/http-client-sends-the-session-id
  // covers: 2025-06-18/transports/http-client-sends-the-version-header
  // covers: 2025-06-18/transports/http-version-header-is-the-negotiated-one
  // covers: 2025-06-18/lifecycle/http-client-sends-the-version-header
  test('after the first carries the session id and the negotiated version', async () => {
    const { asks } = await useEverything();
    expect(asks[0]!.session).toBeUndefined();
    for (const { request } of asks.slice(1)) {
      expect(request.headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': REVISION });
    }
  });

  // covers: 2025-06-18/transports/http-message-is-a-post-of-its-own, 2025-06-18/transports/http-post-has-one-message
  // covers: 2025-06-18/transports/http-post-accepts-json-and-events
  test('that brings a message is a POST of that message alone, which accepts JSON and events', async () => {
    const { asks } = await useEverything();
    const posts = asks.filter(({ message }) => message !== undefined);
    for (const { request, message } of posts) {
      expect(request.method).toBe('POST');
      expect(message).toMatchObject({ jsonrpc: '2.0' });
      expect(request.headers['content-type']).toMatch(/^application\/json\b/);
      expect(request.headers.accept?.split(/\s*,\s*/)).toEqual(
        expect.arrayContaining(['application/json', 'text/event-stream']),
      );
    }
    expect(new Set(asks.map(({ request }) => request.url)).size).toBe(1);
  });

  // covers: 2025-06-18/transports/http-get-accepts-events
  test('that opens a stream accepts events', async () => {
    const server = await useEverything();
    for (const { request } of server.of('GET')) expect(request.headers.accept).toContain('text/event-stream');
  });

  // covers: 2025-06-18/transports/http-client-deletes-its-session
  test('is followed by a DELETE when the client is closed', async () => {
    expect(methods(await useEverything()).at(-1)).toBe('DELETE');
  });
});

describe('a call that a client of 2025-06-18 gives up', () => {
  // covers: 2025-06-18/transports/http-client-cancels-explicitly
  // covers: 2025-06-18/cancellation/client-cancels-only-its-own-requests
  // covers: 2025-06-18/schema/cancelled-id-is-of-the-same-direction
  test('is cancelled by its id, and only while it is under way', async () => {
    const slow = later();
    const { server, client } = await pair({
      'tools/call': ask => (ask.message.params.name === 'slow' ? slow.answer(ask) : ask.text('done')),
    });
    const over = new AbortController();
    await client.callTool('quick', {}, { signal: over.signal });
    over.abort();
    const controller = new AbortController();
    const call = failure(client.callTool('slow', {}, { signal: controller.signal }));
    const { message } = await slow.asked;
    controller.abort(new Error('changed my mind'));
    await call;
    await expect.poll(() => server.of('notifications/cancelled').length).toBe(1);
    expect(server.of('notifications/cancelled')[0]!.message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: message.id, reason: expect.any(String) },
    });
  });

  // covers: 2025-06-18/lifecycle/client-timeout-cancels, 2025-06-18/lifecycle/client-requests-time-out
  test('because its time is up is cancelled, too', async () => {
    const slow = later();
    const { server, client } = await pair({ 'tools/call': slow.answer });
    const call = failure(client.callTool('slow', {}, { timeoutMs: 50 }));
    const { message } = await slow.asked;
    expect(await call).toBeInstanceOf(RequestTimeout);
    await expect.poll(() => server.of('notifications/cancelled').length).toBe(1);
    expect(server.of('notifications/cancelled')[0]!.message.params.requestId).toBe(message.id);
  });
});

describe('a call of a client of 2025-06-18', () => {
  // covers: 2025-06-18/transports/http-client-reads-json-and-events
  test('may be answered with JSON or with an event stream', async () => {
    const { client } = await pair({
      'tools/call': ask => {
        if (ask.message.params.name === 'json') ask.text('as JSON');
        else ask.stream().event(ask.textMessage('as an event')).response.end();
      },
    });
    expect(await client.callTool('json')).toMatchObject({ content: [{ text: 'as JSON' }] });
    expect(await client.callTool('events')).toMatchObject({ content: [{ text: 'as an event' }] });
  });

  // covers: 2025-06-18/tools/client-validates-results
  test('fails if its result is none', async () => {
    for (const result of [{}, { content: 'text' }, { content: null }]) {
      const { client } = await pair({ 'tools/call': ask => ask.result(result) });
      expect(await failure(client.callTool('odd')), JSON.stringify(result)).toBeInstanceOf(InvalidAnswer);
    }
  });

  // covers: 2025-06-18/lifecycle/maximum-timeout-in-spite-of-progress
  test('ends at its maximum time, whatever progress the server reports', async () => {
    const { client } = await pair({
      'tools/call': async ask => {
        ask.stream();
        const { progressToken } = ask.message.params._meta;
        for (let progress = 1; !ask.response.destroyed; progress++) {
          const params = { progressToken, progress };
          ask.event({ jsonrpc: '2.0', method: 'notifications/progress', params });
          await new Promise(resolve => setTimeout(resolve, 5));
        }
      },
    });
    const limits = { timeoutMs: 1000, maxTimeoutMs: 100, onProgress: () => {} };
    expect(await failure(client.callTool('endless', {}, limits))).toBeInstanceOf(RequestTimeout);
  });

  // covers: 2025-06-18/transports/http-client-resumes-with-last-event-id
  test('goes on after a broken stream with a GET that says which event was the last', async () => {
    let call: Ask | undefined;
    const { server, client } = await pair({
      'tools/call': ask => {
        call = ask.stream();
        const params = { level: 'info', data: 'begun' };
        call.event({ jsonrpc: '2.0', method: 'notifications/message', params }, 'event-1');
        call.response.end();
      },
      GET: ask => ask.stream().event(call!.textMessage('resumed'), 'event-2').response.end(),
    });
    expect(await client.callTool('long')).toMatchObject({ content: [{ text: 'resumed' }] });
    expect(server.of('GET').map(({ request }) => request.headers['last-event-id'])).toEqual(['event-1']);
    expect(server.of('tools/call')).toHaveLength(1);
  });

  // covers: 2025-06-18/transports/http-client-renews-a-lost-session
  test('that gets 404 begins a new session, without the id of the old one', async () => {
    let session = 1;
    const answer: Answer = ask => (ask.session === `s-${session}` ? ask.text('done') : ask.send(404));
    const server = await serveRaw(legacy({ 'tools/call': answer }, () => `s-${session}`));
    const client = await connected(server.url, { revision: REVISION });
    await client.callTool('soup');
    session = 2;
    expect(await client.callTool('soup')).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('initialize').map(ask => ask.session)).toEqual([undefined, undefined]);
    expect(server.of('tools/call').at(-1)?.session).toBe('s-2');
  });

  // covers: 2025-06-18/cancellation/sender-ignores-a-late-response, 2025-06-18/lifecycle/timeouts-are-handled
  // covers: 2025-06-18/lifecycle/timeouts-are-set-per-request, 2025-06-18/tools/client-has-timeouts
  test('that was given up ignores the response when it comes after all', async () => {
    const calls: any[] = [];
    let receive: (text: string) => unknown = () => {};
    const answer = ({ id }: any, result: object) => receive(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
    const client = await connect(
      {
        async start(onMessage) {
          receive = onMessage;
        },
        send(sent) {
          const message = JSON.parse(sent);
          const serverInfo = { name: 'by hand', version: '1' };
          const welcome = { protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo };
          if (message.method === 'initialize') answer(message, welcome);
          if (message.method === 'tools/call') calls.push(message);
        },
        async close() {},
      },
      { revision: REVISION },
    );
    expect(await failure(client.callTool('slow', {}, { timeoutMs: 20 }))).toBeInstanceOf(RequestTimeout);
    const next = client.callTool('next');
    await expect.poll(() => calls.length).toBe(2);
    answer(calls[0], text('late'));
    answer(calls[1], text('in time'));
    expect(await next).toMatchObject(text('in time'));
    await client.close();
  });
});

describe('what a server of 2025-06-18 sends on the stream of a call', () => {
  /** Sends messages on the stream of a call, ends it when as many responses have come, and returns these. */
  async function say(messages: object[], responses: number, options: ConnectOptions = {}): Promise<any[]> {
    const heard: any[] = [];
    let call: Ask | undefined;
    const end = () => heard.length === responses && call?.event(call.textMessage('done'));
    const { client } = await pair(
      {
        'tools/call': ask => {
          call = ask.stream();
          for (const message of messages) call.event({ jsonrpc: '2.0', ...message });
          end();
        },
        POST: ask => {
          heard.push(ask.message);
          ask.send(202);
          end();
        },
      },
      options,
    );
    await client.callTool('talk');
    await client.close();
    return heard;
  }

  // covers: 2025-06-18/basic/client-does-not-answer-notifications
  test('is not answered if it is a notification, known or not', async () => {
    const notifications = [
      'notifications/message',
      'notifications/progress',
      'notifications/cancelled',
      'notifications/tools/list_changed',
      'notifications/resources/updated',
      'no/such/notification',
      'ping',
    ].map(method => ({ method }));
    expect(await say(notifications, 0)).toEqual([]);
  });

  // covers: 2025-06-18/ping/client-answers-promptly, 2025-06-18/basic/response-has-the-id-of-its-request
  test('is answered with an empty result if it is a ping, under its id', async () => {
    const answers = await say(
      [
        { id: 'text', method: 'ping' },
        { id: 7, method: 'ping' },
      ],
      2,
    );
    expect(answers.sort((a, b) => Number(a.id === 'text') - Number(b.id === 'text'))).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 'text', result: {} },
    ]);
  });

  // covers: 2025-06-18/roots/unsupported-is-method-not-found
  test('is refused with -32601 if it asks for roots that the client does not have', async () => {
    const [answer] = await say([{ id: 1, method: 'roots/list' }], 1);
    expect(answer).toMatchObject({ id: 1, error: { code: -32601, message: expect.any(String) } });
  });

  // covers: 2025-06-18/roots/internal-error
  test('is answered with -32603 if the roots cannot be listed', async () => {
    const roots = () => Promise.reject(new Error('the disk is gone'));
    const [answer] = await say([{ id: 1, method: 'roots/list' }], 1, { roots });
    expect(answer).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  const SAMPLE = {
    id: 1,
    method: 'sampling/createMessage',
    params: { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] },
  };

  // covers: 2025-06-18/sampling/client-validates-messages
  test('is refused before the model sees it if its messages are malformed', async () => {
    const shown: unknown[] = [];
    const onSample = (params: unknown) => {
      shown.push(params);
      return { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'Hi' } };
    };
    const malformed = [
      {},
      { maxTokens: 10 },
      { maxTokens: 10, messages: 'Hello' },
      { maxTokens: 10, messages: [{ role: 'user' }] },
      { maxTokens: 10, messages: [{ role: 'nobody', content: { type: 'text', text: 'Hello' } }] },
    ].map((params, id) => ({ ...SAMPLE, id, params }));
    const answers = await say(malformed, malformed.length, { onSample });
    expect(answers.map(({ error }) => error?.code)).toEqual(malformed.map(() => -32602));
    expect(shown).toEqual([]);
  });

  // covers: 2025-06-18/sampling/failures-are-errors, 2025-06-18/sampling/client-has-approval-controls
  test('is answered with an error if the user rejects sampling', async () => {
    const onSample = () => Promise.reject(new Error('User rejected sampling request'));
    const [answer] = await say([SAMPLE], 1, { onSample });
    expect(answer).toMatchObject({ id: 1, error: { code: expect.any(Number), message: expect.any(String) } });
    expect(answer).not.toHaveProperty('result');
  });

  // covers: 2025-06-18/elicitation/client-validates-content
  test('is not answered with content that does not fit the form', async () => {
    const requestedSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const question = { id: 1, method: 'elicitation/create', params: { message: 'n?', requestedSchema } };
    const [answer] = await say([question], 1, {
      onElicit: () => ({ action: 'accept', content: { n: 'many' } }),
    });
    expect(answer).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
  });
});

describe('a question that a server of 2025-06-18 cancels', () => {
  // covers: 2025-06-18/cancellation/client-stops-processing, 2025-06-18/cancellation/client-does-not-respond
  test('is withdrawn from the user, and gets no response', async () => {
    const requestedSchema = { type: 'object', properties: { n: { type: 'integer' } } };
    const params = { message: 'n?', requestedSchema };
    let call: Ask | undefined;
    const withdrawn = later();
    const { server, client } = await pair(
      {
        'tools/call': ask => {
          call = ask.stream().event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
        },
      },
      {
        onElicit: (_form, { signal }) =>
          new Promise(resolve => {
            signal.addEventListener('abort', () => {
              withdrawn.answer(call!);
              resolve({ action: 'accept', content: { n: 1 } });
            });
            call?.event({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
          }),
      },
    );
    const result = client.callTool('ask');
    const ask = await withdrawn.asked;
    await client.setRoots([]).catch(() => {});
    ask.event(ask.textMessage('done'));
    await result;
    await client.close();
    expect(server.of('POST')).toEqual([]);
  });
});

describe('a client with a token', () => {
  // covers: 2025-06-18/authorization/token-is-in-the-header, 2025-06-18/authorization/token-is-on-every-request
  // covers: 2025-06-18/authorization/token-is-not-in-the-url
  test('sends it in the header of every request of a session, and never in the URL', async () => {
    const { server, client } = await pair(
      { GET: ask => ask.stream(), 'tools/list': ask => ask.result({ tools: [] }) },
      { auth: bearer('secret-token'), onElicit: () => ({ action: 'cancel' }) },
    );
    await client.tools();
    await client.close();
    expect(methods(server)).toEqual(expect.arrayContaining(['initialize', 'GET', 'tools/list', 'DELETE']));
    for (const { request } of server.asks) {
      expect(request.headers.authorization).toBe('Bearer secret-token');
      expect(request.url).not.toContain('secret-token');
    }
  });
});

describe('a client that speaks an older revision', () => {
  // covers: 2025-06-18/lifecycle/client-respects-the-version, 2025-03-26/lifecycle/client-respects-the-version
  // covers: 2024-11-05/lifecycle/client-respects-the-version
  // covers: 2025-03-26/transports/http-post-has-a-message-or-a-batch
  test.for(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'sends no method, header or metadata of a newer one than %s',
    async revision => {
      const server = await serveRaw(
        legacy({
          'tools/list': ask => ask.result({ tools: [] }),
          'tools/call': ask => ask.text('done'),
        }),
      );
      const client = await connected(server.url, { revision, logLevel: 'info' });
      await client.tools();
      await client.callTool('soup', {}, { onProgress: () => {} });
      await client.close();
      expect(new Set(methods(server))).toEqual(
        new Set([
          'initialize',
          'notifications/initialized',
          'logging/setLevel',
          'tools/list',
          'tools/call',
          'DELETE',
        ]),
      );
      for (const { request, message } of server.asks) {
        const ownHeaders = Object.keys(request.headers).filter(name => name.startsWith('mcp-'));
        expect(['mcp-session-id', 'mcp-protocol-version']).toEqual(expect.arrayContaining(ownHeaders));
        if (request.method === 'POST') expect(message).toMatchObject({ jsonrpc: '2.0' });
        const { _meta = {}, ...params } = message?.params ?? {};
        expect(['progressToken']).toEqual(expect.arrayContaining(Object.keys(_meta)));
        expect(params).not.toHaveProperty('inputResponses');
      }
    },
  );
});
