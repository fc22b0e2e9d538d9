import { describe, expect, test } from 'vitest';
import type { LogLevel } from '../../src/client/index.js';
import { connect, UsageError } from '../../src/node/client/index.js';
import { HANDSHAKES, REVISIONS, ScriptedServer } from './scripted-server.js';

describe.each(REVISIONS)('a client of %s', revision => {
  async function open() {
    const server = new ScriptedServer({ revision, capabilities: { logging: {}, tools: {} } });
    return { server, client: await server.connect('on a pipe') };
  }

  // covers: 2025-06-18/basic/meta-prefix-is-labels-and-a-slash, 2025-06-18/basic/meta-label-begins-with-a-letter
  // covers: 2025-06-18/basic/meta-name-is-alphanumeric-at-its-ends
  test.each([['a key/with a space'], ['com..example/x'], ['/x'], ['-x']])(
    'sends no key of _meta that is malformed: %s',
    async key => {
      const { server, client } = await open();
      const meta = { [key]: 1 };
      await expect(client.callTool('x', {}, { meta })).rejects.toThrow(UsageError);
      await expect(client.request('com.example/x', { _meta: meta })).rejects.toThrow(JSON.stringify(key));
      await expect(client.notify('notifications/x', { _meta: meta })).rejects.toThrow(UsageError);
      expect(server.methods).toEqual([]);
    },
  );

  test('sends keys of _meta that are well formed', async () => {
    const { server, client } = await open();
    const meta = {
      'com.example/table': 7,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'rojo=00f067aa0ba902b7,t61@congo=t61 rc~,',
      baggage: 'user=anna%20lee , shop = 7;ttl=5;private',
    };
    await client.callTool('x', {}, { meta });
    const { params } = await server.next(({ method }) => method === 'tools/call');
    expect(params._meta).toMatchObject(meta);
  });

  test.each([
    ['traceparent', 'x'],
    ['traceparent', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['traceparent', 7],
    ['tracestate', 'Rojo=1'],
    ['tracestate', 'rojo'],
    ['tracestate', Array.from({ length: 33 }, (_, n) => `k${n}=v`).join()],
    ['tracestate', 'a=1\n'],
    ['baggage', 'user'],
    ['baggage', 'user=anna lee'],
    ['baggage', 'user="anna"'],
    ['baggage', ''],
    ['baggage', null],
  ])('sends no %s such as %j', async (key, value) => {
    const { server, client } = await open();
    const meta = { [key]: value };
    const message = `is not a ${key}; its format is that of https://www.w3.org/TR/`;
    const failures = [
      client.callTool('x', {}, { meta }),
      client.request('com.example/x', { _meta: meta }),
      client.notify('notifications/x', { _meta: meta }),
    ];
    for (const failed of await Promise.allSettled(failures)) {
      expect(failed).toMatchObject({ reason: { kind: 'usage', message: expect.stringContaining(message) } });
    }
    expect(server.methods).toEqual([]);
  });

  test('sends no log level in _meta that does not exist', async () => {
    const { server, client } = await open();
    const meta = { 'io.modelcontextprotocol/logLevel': 'loud' };
    await expect(client.callTool('x', {}, { meta })).rejects.toThrow('"loud" is not a log level; use one of');
    expect(server.methods).toEqual([]);
  });

  // covers: 2025-06-18/progress/token-is-string-or-integer
  test.each([[1.5], [null], [{}], [true]])('sends no progress token such as %j', async progressToken => {
    const { server, client } = await open();
    await expect(client.callTool('x', {}, { meta: { progressToken } })).rejects.toThrow(
      'a progress token must be a string or an integer',
    );
    expect(server.methods).toEqual([]);
  });

  // covers: 2025-06-18/progress/token-is-unique
  test('sends no progress token twice while its request runs', async () => {
    const { server, client } = await open();
    const meta = { progressToken: 'mine' };
    const first = client.request('com.example/slow', {}, { meta });
    await expect(client.request('com.example/slow', {}, { meta })).rejects.toThrow(UsageError);
    await first;
    await client.request('com.example/slow', {}, { meta });
    expect(server.methods).toHaveLength(2);
  });

  test.each([[[]], ['text'], [7], [null]])('sends no notification whose parameters are %j', async params => {
    const { server, client } = await open();
    await expect(client.notify('notifications/x', params as never)).rejects.toThrow(
      'the parameters of notifications/x must be an object',
    );
    expect(server.methods).toEqual([]);
  });

  test.each([[[]], ['text'], [7]])('sends no request whose parameters are %j', async params => {
    const { client } = await open();
    await expect(client.request('com.example/x', params as never)).rejects.toThrow(UsageError);
  });

  // covers: 2025-06-18/cancellation/client-does-not-cancel-initialize
  test('does not let its user send initialize, which cannot be cancelled', async () => {
    const { server, client } = await open();
    await expect(client.request('initialize', {})).rejects.toThrow('connect');
    await expect(client.notify('notifications/initialized')).rejects.toThrow('connect');
    expect(server.messages.filter(({ method }) => method === 'initialize').length).toBeLessThan(2);
  });

  // covers: 2025-06-18/basic/notification-has-no-id
  test.each(['notifications/progress', 'notifications/x'])('does not send %s as a request', async method => {
    const { server, client } = await open();
    await expect(client.request(method)).rejects.toThrow(
      `${method} is a notification; send it with \`client.notify\``,
    );
    await expect(client.begin(method)).rejects.toThrow(UsageError);
    expect(server.methods).toEqual([]);
  });

  // covers: 2025-06-18/basic/request-id-is-string-or-integer
  test.each(['ping', 'tools/call'])('does not send %s as a notification', async method => {
    const { server, client } = await open();
    await expect(client.notify(method, { name: 'x' })).rejects.toThrow(
      `${method} is a request; send it with \`client.request\``,
    );
    expect(server.methods).toEqual([]);
  });

  test('sends no method that is not a string, and no request for an unknown log level', async () => {
    const { server, client } = await open();
    await expect(client.request(5 as never)).rejects.toThrow('a method must be a string, not 5');
    await expect(client.notify(5 as never)).rejects.toThrow('a method must be a string, not 5');
    await expect(client.request('logging/setLevel', { level: 'loud' })).rejects.toThrow(UsageError);
    expect(server.methods).toEqual([]);
  });

  // covers: 2025-06-18/cancellation/client-cancels-only-its-own-requests
  test('cancels no request by hand, because only the client knows which of them are running', async () => {
    const { server, client } = await open();
    for (const params of [{ requestId: 1 }, { requestId: 999_999 }, {}]) {
      await expect(client.notify('notifications/cancelled', params)).rejects.toThrow('abort its `signal`');
    }
    expect(server.methods).toEqual([]);
  });

  test('knows the log levels', async () => {
    const { server, client } = await open();
    const levels = 'debug, info, notice, warning, error, critical, alert, emergency';
    await expect(client.setLogLevel('loud' as LogLevel)).rejects.toThrow(levels);
    expect(server.methods).toEqual([]);
  });

  test('refuses an unknown log level before it connects', async () => {
    const server = new ScriptedServer({ revision, capabilities: {} });
    await expect(server.connect('on a pipe', { logLevel: 'loud' as LogLevel })).rejects.toThrow(UsageError);
    expect(server.messages).toEqual([]);
  });

  test('names the capabilities to look at when a server lacks one', async () => {
    const { client } = await open();
    await expect(client.prompts()).rejects.toMatchObject({
      kind: 'not-supported',
      message: expect.stringContaining('client.server.capabilities'),
    });
  });
});

describe.each(HANDSHAKES)('progress that a client of %s reports by hand', revision => {
  // covers: 2025-06-18/progress/token-was-given-by-an-active-request, 2025-06-18/progress/stops-after-completion
  test('is sent only for a question that is being answered, and asked for it', async () => {
    const server = new ScriptedServer({ revision, capabilities: {} });
    const report = (params: object) => client.notify('notifications/progress', params as never);
    const client = await server.connect('on a pipe', {
      async onSample() {
        await expect(report({ progressToken: 'other', progress: 1 })).rejects.toThrow('"other"');
        await expect(report({ progressToken: 'mine', progress: '1' })).rejects.toThrow(UsageError);
        await report({ progressToken: 'mine', progress: 1 });
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello' } };
      },
    });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
    const params = { messages, maxTokens: 10, _meta: { progressToken: 'mine' } };
    const { result } = await server.ask({ method: 'sampling/createMessage', params });
    expect(result).toMatchObject({ model: 'm' });
    await expect(report({ progressToken: 'mine', progress: 2 })).rejects.toThrow(UsageError);
    await expect(report({ progress: 2 })).rejects.toThrow(UsageError);
    expect(server.methods).toEqual(['notifications/progress']);
  });
});

// covers: 2025-06-18/roots/uri-is-a-file-uri
test.each(['file:relative', 'file:/one-slash', 'http://host/x'])('%s is not a root', async uri => {
  await expect(connect('http://127.0.0.1:9/mcp', { roots: [{ uri }] })).rejects.toThrow('file://');
});
