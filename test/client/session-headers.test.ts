import { describe, expect, it, test } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { connected, pair, serveRaw } from '../client-faults/connected.js';
import { type Answer, type Ask, legacy, welcome } from '../client-faults/raw-server.js';

const REVISION = '2025-06-18';
const INFO = { name: 'raw', version: '1.0.0' };

/** Resolves when it is called for the first time. */
function event<T>(): { happened: Promise<T>; tell(value: T): void } {
  let tell: (value: T) => void = () => {};
  const happened = new Promise<T>(resolve => {
    tell = resolve;
  });
  return { happened, tell: value => tell(value) };
}

/** A server that forgets its first session as soon as `forget` is called; streams of that session stay open. */
function forgetful(answers: Record<string, Answer>) {
  let session = 0;
  let isForgotten = false;
  const rest = legacy(answers, () => `s-${++session}`);
  const answer: Answer = ask => {
    if (isForgotten && ask.session === 's-1' && ask.message?.method === 'tools/list') return ask.send(404);
    rest(ask);
  };
  const forget = () => {
    isForgotten = true;
  };
  return { answer, forget };
}

// covers: 2025-06-18/transports/http-client-sends-the-session-id
test('a cancellation goes to the session of the request that it cancels', async () => {
  const cancelled = event<Ask>();
  const called = event<Ask>();
  const { answer, forget } = forgetful({
    'tools/call': ask => called.tell(ask.stream()),
    'tools/list': ask => ask.result({ tools: [] }),
    'notifications/cancelled': ask => {
      ask.send(202);
      cancelled.tell(ask);
    },
  });
  const { client } = await pair(answer, { revision: REVISION, cache: false });
  const controller = new AbortController();
  const running = client.callTool('slow', {}, { signal: controller.signal });
  await called.happened;
  forget();
  await client.tools();
  controller.abort();
  await running.catch(() => {});
  expect((await cancelled.happened).session).toBe('s-1');
});

// covers: 2025-06-18/transports/http-client-sends-the-session-id
test('an answer goes to the session in which the question was asked', async () => {
  const called = event<Ask>();
  const answered = event<Ask>();
  const { answer, forget } = forgetful({
    'tools/call': ask => called.tell(ask.stream()),
    'tools/list': ask => ask.result({ tools: [] }),
    POST: ask => {
      ask.send(202);
      answered.tell(ask);
    },
  });
  const asked = event<void>();
  const user = event<void>();
  const { client } = await pair(answer, {
    revision: REVISION,
    cache: false,
    async onElicit() {
      asked.tell();
      await user.happened;
      return { action: 'decline' };
    },
  });
  const running = client.callTool('ask');
  const call = await called.happened;
  const params = { message: 'Well?', requestedSchema: { type: 'object', properties: {} } };
  call.event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
  await asked.happened;
  forget();
  await client.tools();
  user.tell();
  const reply = await answered.happened;
  expect(reply.message).toMatchObject({ id: 'q', result: { action: 'decline' } });
  expect(reply.session).toBe('s-1');
  call.event(call.textMessage('done'));
  await running;
});

// covers: 2025-06-18/transports/http-client-sends-the-session-id
test('an answer that is sent while initialize still streams carries the session id of that stream', async () => {
  const answered = event<Ask>();
  const server = await serveRaw(
    legacy({
      initialize: ask => {
        ask.stream({ 'mcp-session-id': 's-1' });
        ask.event({ jsonrpc: '2.0', id: 'p', method: 'ping' });
        void answered.happened.then(() => {
          const result = {
            protocolVersion: REVISION,
            capabilities: {},
            serverInfo: { name: 'raw', version: '1.0.0' },
          };
          ask.event(ask.resultMessage(result));
        });
      },
      POST: ask => {
        ask.send(202);
        answered.tell(ask);
      },
    }),
  );
  await connected(server.url, { revision: REVISION });
  const reply = await answered.happened;
  expect(reply.message).toMatchObject({ id: 'p', result: {} });
  expect(reply.session).toBe('s-1');
});

describe('a client that resumes the stream with the answer to initialize', () => {
  /** A server that cuts this stream, and whose session is named at the beginning or when the stream is resumed. */
  async function resume(first: Record<string, string>, second: Record<string, string>) {
    let greeting: Ask | undefined;
    const server = await serveRaw(
      legacy({
        initialize(ask) {
          greeting = ask;
          ask.stream(first).event('', '1');
          ask.response.end();
        },
        GET(ask) {
          if (ask.request.headers['last-event-id'] !== '1' || !greeting) return ask.send(405);
          const result = { protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo: INFO };
          ask.stream(second).event(greeting.resultMessage(result), '2').response.end();
        },
        'tools/list': ask => ask.result({ tools: [] }),
      }),
    );
    const client = await connected(server.url, { revision: REVISION });
    await client.tools();
    const session = (method: string) => server.of(method)[0]?.session;
    return {
      resumed: session('GET'),
      initialized: session('notifications/initialized'),
      listed: session('tools/list'),
    };
  }

  const NAMED = { 'mcp-session-id': 's-1' };

  // covers: 2025-06-18/transports/http-client-sends-the-session-id
  it('names the session that the first response began, there and from then on', async () => {
    const all = { resumed: 's-1', initialized: 's-1', listed: 's-1' };
    expect(await resume(NAMED, {})).toEqual(all);
    expect(await resume(NAMED, NAMED)).toEqual(all);
  });

  // covers: 2025-06-18/transports/http-client-sends-the-session-id
  it('names the session that only the resumed stream named', async () => {
    expect(await resume({}, NAMED)).toEqual({ resumed: undefined, initialized: 's-1', listed: 's-1' });
  });
});

// covers: 2025-06-18/transports/http-client-renews-a-lost-session
test('a session that is lost while the answer to initialize is resumed is begun anew', async () => {
  let session = 0;
  const server = await serveRaw(
    legacy({
      initialize(ask) {
        if (++session > 1) return welcome(ask, `s-${session}`);
        ask.stream({ 'mcp-session-id': 's-1' }).event('', '1');
        ask.response.end();
      },
      GET: ask => ask.send(ask.session === 's-1' ? 404 : 405),
      'tools/list': ask => ask.result({ tools: [] }),
    }),
  );
  const client = await connected(server.url, { revision: REVISION });
  await client.tools();
  expect(server.of('initialize').map(ask => ask.session)).toEqual([undefined, undefined]);
  expect(server.of('tools/list').map(ask => ask.session)).toEqual(['s-2']);
});

test('a server that never lets a client resume the answer to initialize is not asked without end', async () => {
  let session = 0;
  const server = await serveRaw(
    legacy({
      initialize(ask) {
        ask.stream({ 'mcp-session-id': `s-${++session}` }).event('', '1');
        ask.response.end();
      },
      GET: ask => ask.send(404),
    }),
  );
  await expect(connect(server.url, { revision: REVISION })).rejects.toMatchObject({
    kind: 'cannot-connect',
    message: expect.stringContaining('cannot be resumed'),
  });
  expect(server.of('initialize')).toHaveLength(2);
});

test('a call is not repeated in a new session whose server no longer declares what it needs', async () => {
  let session = 0;
  const server = await serveRaw(
    legacy({
      initialize: ask => welcome(ask, `s-${++session}`, session === 1 ? { prompts: {} } : {}),
      'prompts/list': ask => (ask.session === 's-1' ? ask.send(404) : ask.result({ prompts: [] })),
      'notifications/x': ask => ask.send(202),
    }),
  );
  const client = await connected(server.url, { revision: REVISION });
  await expect(client.prompts()).rejects.toMatchObject({ kind: 'not-supported', capability: 'prompts' });
  expect(server.of('initialize')).toHaveLength(2);
  expect(server.of('prompts/list').map(ask => ask.session)).toEqual(['s-1']);
});

// covers: 2025-06-18/lifecycle/http-client-sends-the-version-header
test('messages over HTTP+SSE carry the negotiated version after the handshake', async () => {
  let stream: Ask | undefined;
  const versions = new Map<string, string | undefined>();
  const server = await serveRaw(ask => {
    if (ask.method === 'GET') {
      stream = ask.stream();
      ask.response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    if (ask.request.url !== '/messages') return ask.send(405);
    ask.send(202);
    versions.set(ask.method, ask.request.headers['mcp-protocol-version'] as string | undefined);
    if (ask.method === 'initialize') {
      const serverInfo = { name: 'old', version: '1.0.0' };
      stream?.event(
        ask.resultMessage({ protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo }),
      );
    }
    if (ask.method === 'tools/list') stream?.event(ask.resultMessage({ tools: [] }));
  });
  const client = await connected(server.url);
  await client.tools();
  expect(Object.fromEntries(versions)).toEqual({
    initialize: undefined,
    'notifications/initialized': REVISION,
    'tools/list': REVISION,
  });
});

// covers: 2025-06-18/pagination/cursors-are-not-kept
test.each(['the next page', 'a ping'])(
  'a list begins again when its session is over, as %s shows, since no cursor is sent in another session',
  async sign => {
    let session = 0;
    const server = await serveRaw(
      legacy(
        {
          ping: ask => (ask.session === 's-1' ? ask.send(404) : ask.result({})),
          async 'tools/list'(ask) {
            const { cursor } = ask.message.params;
            if (ask.session === 's-1' && cursor) return ask.send(404);
            if (ask.session === 's-1' && sign === 'a ping') await client.ping();
            const tool = { name: `${ask.session}-${cursor ?? 'first'}`, inputSchema: { type: 'object' } };
            ask.result({ tools: [tool], ...(!cursor && { nextCursor: `of-${ask.session}` }) });
          },
        },
        () => `s-${++session}`,
      ),
    );
    const client = await connected(server.url, { revision: REVISION });
    const names = (await client.tools()).map(tool => tool.name);
    expect(names).toEqual(['s-2-first', 's-2-of-s-2']);
    const sent = server.of('tools/list').map(({ session: id, message }) => [id, message.params.cursor]);
    expect(sent.filter(([id, cursor]) => id === 's-2' && cursor === 'of-s-1')).toEqual([]);
  },
);

test('a cursor of a session that is over is refused with the advice to list again', async () => {
  const { answer, forget } = forgetful({ 'tools/list': ask => ask.result({ tools: [] }) });
  const { client, server } = await pair(answer, { revision: REVISION });
  forget();
  await expect(client.listTools({ cursor: 'of-s-1' })).rejects.toThrow('list again from the beginning');
  expect(server.of('tools/list').map(ask => ask.session)).toEqual(['s-1']);
});

// covers: 2025-06-18/transports/http-client-renews-a-lost-session
test('a 404 to the GET that resumes an answer starts a new session, and does not repeat the request', async () => {
  let session = 0;
  const server = await serveRaw(
    legacy(
      {
        'tools/call': ask => {
          ask.stream().response.write('retry: 1\nid: e-1\ndata:\n\n');
          ask.response.end();
        },
        GET: ask => ask.send(404),
        'tools/list': ask => ask.result({ tools: [] }),
      },
      () => `s-${++session}`,
    ),
  );
  const client = await connected(server.url, { revision: REVISION });
  await expect(client.callTool('slow')).rejects.toThrow('cannot be resumed');
  await client.tools();
  expect(server.of('tools/call').map(ask => ask.session)).toEqual(['s-1']);
  expect(server.of('tools/list').map(ask => ask.session)).toEqual(['s-2']);
});

// covers: 2025-06-18/transports/http-client-resumes-with-last-event-id
test('a stream whose last event has an empty id is opened again without Last-Event-ID', async () => {
  const again = event<Ask>();
  let streams = 0;
  const answer = legacy({
    GET: ask => {
      ask.stream();
      if (++streams > 1) return again.tell(ask);
      ask.response.end('retry: 1\nid: e-1\ndata:\n\nid\ndata:\n\n');
    },
  });
  await pair(answer, { revision: REVISION, onNotification: () => {} });
  expect((await again.happened).request.headers).not.toHaveProperty('last-event-id');
});

test('an answer whose last event has an empty id is not asked for again', async () => {
  const answer = legacy({
    'tools/call': ask => void ask.stream().response.end('retry: 1\nid: e-1\ndata:\n\nid\ndata:\n\n'),
  });
  const { client, server } = await pair(answer, { revision: REVISION });
  await expect(client.callTool('slow')).rejects.toThrow('the stream ended without an answer to tools/call');
  expect(server.of('GET')).toEqual([]);
});
