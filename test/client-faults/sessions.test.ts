import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../src/client/index.js';
import { type Client, ConnectionError, HttpError } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { connected, expectUsable, failure, pair, serveRaw } from './connected.js';
import { type Answer, type Ask, LEGACY, legacy } from './raw-server.js';

failOnUnhandled();

/** A server whose sessions can be made to end. */
class Forgetful {
  session = 0;
  /** Whether the current session is known. */
  knows = true;
  /** How it answers to a new handshake. */
  onInitialize: Answer | undefined;
  readonly calls: Answer;

  constructor(answer: Answer = ask => ask.text(ask.message.params.name)) {
    const inSession =
      (then: Answer): Answer =>
      ask => {
        if (this.knows && ask.session === `s-${this.session}`) return then(ask);
        ask.send(
          404,
          JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }),
          {
            'content-type': 'application/json',
          },
        );
      };
    const open = () => {
      this.knows = true;
      return `s-${++this.session}`;
    };
    const rest = legacy({}, open);
    this.calls = ask => {
      if (ask.method === 'initialize')
        return this.knows || !this.onInitialize ? rest(ask) : this.onInitialize(ask);
      if (ask.method === 'server/discover') return rest(ask);
      return inSession(ask.method === 'tools/call' ? answer : rest)(ask);
    };
  }

  forget(): void {
    this.knows = false;
  }
}

describe('a session that the server has forgotten', () => {
  test('is opened again once, and the call is made in it', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    forgetful.forget();
    await expectUsable(client);
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('initialize')[1]!.session).toBeUndefined();
    expect(server.of('notifications/initialized').map(ask => ask.session)).toEqual(['s-1', 's-2']);
    expect(server.of('tools/call').map(ask => ask.session)).toEqual(['s-1', 's-2']);
  });

  test('is opened again once for twenty calls at the same time', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    for (let time = 2; time < 5; time++) {
      forgetful.forget();
      const results = await Promise.all(Array.from({ length: 20 }, (_, n) => client.callTool(`tool-${n}`)));
      results.forEach((result, n) => void expect(result).toMatchObject({ content: [{ text: `tool-${n}` }] }));
      expect(server.of('initialize')).toHaveLength(time);
    }
  });

  test('is opened again while a call is running, which is not disturbed', async () => {
    let slow: Ask | undefined;
    const forgetful = new Forgetful(ask => {
      if (ask.message.params.name === 'slow') slow = ask.stream();
      else ask.text(ask.message.params.name);
    });
    const { client, server } = await pair(forgetful.calls);
    const running = client.callTool('slow');
    await expectUsable(client);
    forgetful.forget();
    await expectUsable(client);
    slow!.event(slow!.textMessage('slow'));
    expect(await running).toMatchObject({ content: [{ text: 'slow' }] });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again after a notification, which is then sent in it', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(forgetful.calls);
    forgetful.forget();
    await client.notify('notifications/menus/read');
    expect(server.of('notifications/menus/read').map(ask => ask.session)).toEqual(['s-1', 's-2']);
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again after an answer that the server did not take', async () => {
    let call: Ask | undefined;
    const forgetful = new Forgetful(ask => {
      if (ask.message.params.name === 'fine') return ask.text('fine');
      call = ask.stream();
      forgetful.forget();
      call.event({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
    });
    let reopened = () => {};
    const again = new Promise<void>(resolve => {
      reopened = resolve;
    });
    const { client, server } = await pair(
      ask => {
        forgetful.calls(ask);
        if (ask.method === 'notifications/initialized' && ask.session === 's-2') reopened();
      },
      { roots: [] },
    );
    const running = client.callTool('ask');
    await again;
    call!.event(call!.textMessage('done'));
    expect(await running).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is opened again if the server does not know it when the stream is opened', async () => {
    const forgetful = new Forgetful();
    let reopened = () => {};
    const again = new Promise<void>(resolve => {
      reopened = resolve;
    });
    const { server } = await pair(
      ask => {
        if (ask.method === 'GET' && forgetful.session === 1) forgetful.forget();
        forgetful.calls(ask);
        if (ask.method === 'GET' && ask.session === 's-2') reopened();
      },
      { roots: [] },
    );
    await again;
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('is kept if the server only has no stream', async () => {
    const { client, server } = await pair(
      legacy({ GET: ask => ask.send(404), 'tools/call': ask => ask.text('fine') }),
      { roots: [] },
    );
    await expectUsable(client);
    expect(server.of('initialize')).toHaveLength(1);
    expect(server.of('GET')).toHaveLength(1);
  });

  test('is not opened again and again for one call', async () => {
    const forgetful = new Forgetful();
    const { client, server } = await pair(legacy({ 'tools/call': ask => ask.send(404) }));
    const error = await failure(client.callTool('lost'));
    expect(error).toMatchObject({ name: 'HttpError', status: 404 });
    expect(server.of('initialize').length).toBeLessThanOrEqual(3);
    expect(forgetful.session).toBe(0);
  });

  const refusals: [string, Answer][] = [
    ['says that it is overloaded', ask => ask.send(503)],
    ['answers with an error', ask => ask.error(-32603, 'not now')],
    [
      'wants a revision that nobody knows',
      ask => ask.result({ protocolVersion: '1999-01-01', capabilities: {} }),
    ],
    ['hangs up', ask => ask.response.destroy()],
  ];
  test.for(refusals)('fails calls while the server %s, and works again after that', async ([, refuse]) => {
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls, { onWarning: () => {} });
    forgetful.forget();
    forgetful.onInitialize = refuse;
    for (let call = 0; call < 2; call++) {
      const ends = await Promise.allSettled([client.callTool('a'), client.callTool('b')]);
      for (const end of ends) {
        expect(end.status).toBe('rejected');
        expect((end as PromiseRejectedResult).reason.name).toMatch(
          /^(HttpError|McpError|InvalidAnswer|ConnectionError)$/,
        );
      }
    }
    forgetful.onInitialize = undefined;
    await expectUsable(client);
  });

  test('fails calls at their time limit if the server does not answer to the handshake', async () => {
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls, { timeoutMs: 1000 });
    forgetful.forget();
    forgetful.onInitialize = () => {};
    const error = await failure(client.callTool('a'));
    expect(error.name).toBe('RequestTimeout');
    forgetful.onInitialize = undefined;
    await expectUsable(client);
  });

  const methods: [string, (client: Client, options: CallOptions) => Promise<unknown>][] = [
    ['callTool', (client, options) => client.callTool('x', {}, options)],
    ['tools', (client, options) => client.tools(options)],
    ['ping', (client, options) => client.ping(options)],
    ['begin', (client, options) => client.begin('tools/call', { name: 'x' }, options)],
  ];
  test.for(methods)('is not waited for by %s when its signal aborts', async ([, begin]) => {
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls, { timeoutMs: 2000 });
    const user = new AbortController();
    forgetful.forget();
    forgetful.onInitialize = () => user.abort('enough');
    expect((await failure(begin(client, { signal: user.signal }))).name).toBe('Cancelled');
  });

  const limits: CallOptions[] = [{ timeoutMs: 200 }, { maxTimeoutMs: 200 }];
  test.for(limits)('is waited for by each call as long as it may: %o', async own => {
    let handshake: Ask | undefined;
    const forgetful = new Forgetful();
    const { client } = await pair(forgetful.calls);
    forgetful.forget();
    forgetful.onInitialize = ask => {
      handshake = ask;
    };
    const patient = client.callTool('patient');
    expect((await failure(client.callTool('hasty', {}, own))).name).toBe('RequestTimeout');
    forgetful.knows = true;
    forgetful.calls(handshake!);
    expect(await patient).toMatchObject({ content: [{ text: 'patient' }] });
  });

  test('is opened again if that happens before the client has said that it is ready', async () => {
    let sessions = 0;
    const forgets = (ask: Ask) => ask.send(ask.session === 's-1' ? 404 : 202);
    const calls = { 'notifications/initialized': forgets, 'tools/call': (ask: Ask) => ask.text('fine') };
    const { client, server } = await pair(legacy(calls, () => `s-${++sessions}`));
    await expectUsable(client);
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('tools/call').map(ask => ask.session)).toEqual(['s-2']);
  });

  test('is opened again by a client that was told nothing of a session the second time', async () => {
    let session: string | undefined = 's-1';
    const answer: Answer = ask => (ask.session === session ? ask.text('fine') : ask.send(404));
    const { client } = await pair(legacy({ 'tools/call': answer }, () => session));
    session = undefined;
    await expectUsable(client);
  });
});

test.for([404, 500])('a session is ended if the server does not accept that it begins: %i', async status => {
  let sessions = 0;
  const calls = { 'notifications/initialized': (ask: Ask) => ask.send(status) };
  const server = await serveRaw(legacy(calls, () => `s-${++sessions}`));
  await failure(connected(server.url, { revision: LEGACY }));
  expect(server.of('DELETE').map(ask => ask.session)).toEqual([`s-${sessions}`]);
});

test('a session of a revision that was not asked for is ended in that revision', async () => {
  const calls: Record<string, Answer> = {
    initialize: ask =>
      ask.result({ protocolVersion: '2025-06-18', capabilities: {} }, { 'mcp-session-id': 's-1' }),
  };
  const server = await serveRaw(legacy(calls));
  await failure(connected(server.url, { revision: LEGACY }));
  const ends = server.of('DELETE').map(({ request }) => request.headers['mcp-protocol-version']);
  expect(ends).toEqual(['2025-06-18']);
});

test('a connection that opens again is not waited for longer than a call may take', async () => {
  const streams: Ask[] = [];
  const closed = new AbortController();
  const user = new AbortController();
  const { client } = await pair(
    ask => {
      if (ask.method === 'GET' && streams.push(ask) === 1)
        ask.stream().response.write('event: endpoint\ndata: /messages\n\n');
      else if (ask.method === 'GET') user.abort('enough');
      else if (ask.request.url === '/mcp') ask.send(405);
      else ask.send(202);
      if (ask.method !== 'initialize' || ask.request.url === '/mcp') return;
      const serverInfo = { name: 'old', version: '1.0.0' };
      const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
      // Only events called "message" carry one.
      const other = ask.resultMessage({ ...result, protocolVersion: '1999-01-01' });
      streams[0]!.response.write(`event: ping\ndata: ${JSON.stringify(other)}\n\n`);
      streams[0]!.event(ask.resultMessage(result));
    },
    { revision: '2024-11-05', onClose: () => closed.abort() },
  );
  await new Promise<void>(resolve => {
    closed.signal.addEventListener('abort', () => resolve());
    streams[0]!.request.socket.destroy();
  });
  expect((await failure(client.callTool('x', {}, { signal: user.signal }))).name).toBe('Cancelled');
  expect((await failure(client.callTool('x', {}, { timeoutMs: 200 }))).name).toBe('RequestTimeout');
});

test('a server that ends streams without a word about events is not asked for more', async () => {
  const { client, server } = await pair(legacy({ 'tools/call': ask => ask.stream().response.end() }));
  expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
  expect(server.of('GET')).toHaveLength(0);
});

describe('a stream that can be taken up again', () => {
  /** A server that ends its streams after one event, and has more to say when the client comes back. */
  function resumable(resume: Answer, id = 'e-1') {
    return legacy({
      'tools/call': ask => {
        if (ask.message.params.name === 'fine') return ask.text('fine');
        ask.stream().response.end(`id: ${id}\nretry: 1\ndata:\n\n`);
      },
      GET: resume,
    });
  }

  /** The first polls go as the test says; the next one has the answer. */
  function polled(polls: number, poll: Answer) {
    let left = polls;
    let call: Ask;
    const rest = resumable(ask => {
      if (left-- > 0) return poll(ask);
      ask.stream().event(call.textMessage('done')).response.end();
    });
    return (ask: Ask) => {
      if (ask.method === 'tools/call') call = ask;
      return rest(ask);
    };
  }

  const polls: [string, Answer][] = [
    ['ends it', ask => ask.stream().response.end()],
    ['sends only where to go on', ask => ask.stream().response.end('id: e-2\ndata:\n\n')],
    [
      'cuts it',
      ask => void ask.stream().response.write(': still here\n\n', () => ask.request.socket.destroy()),
    ],
    ['says that it is overloaded', ask => ask.send(503)],
  ];
  test.for(polls)('is asked for its answer as long as the server %s', async ([, poll]) => {
    const { client, server } = await pair(polled(7, poll));
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('GET')).toHaveLength(8);
    expect(server.of('notifications/cancelled')).toEqual([]);
  });

  test.for([429, 502, 503, 504])('is asked for again after a %i', async status => {
    const { client, server } = await pair(polled(1, ask => ask.send(status, '', { 'retry-after': '0' })));
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('GET')).toHaveLength(2);
  });

  const inAnHour: [string, string][] = [
    ['seconds', '3600'],
    ['date', new Date(Date.now() + 3_600_000).toUTCString()],
  ];
  test.for(inAnHour)('is not asked for again before the %s in Retry-After', async ([, time]) => {
    const { client, server } = await pair(polled(1, ask => ask.send(503, '', { 'retry-after': time })));
    const error = await failure(client.callTool('x', {}, { timeoutMs: 500 }));
    expect(error.name).toBe('RequestTimeout');
    expect(server.of('GET')).toHaveLength(1);
  });

  test('is given up at the time limit if there is nothing new on it', async () => {
    let last = 1;
    const { client, server } = await pair(
      resumable(ask => ask.stream().response.end(`id: e-${++last}\nretry: 1\ndata:\n\n`)),
    );
    const error = await failure(client.callTool('x', {}, { timeoutMs: 500 }));
    expect(error.name).toBe('RequestTimeout');
    // However short the pause is that the server asks for, it is not hammered.
    expect(server.of('GET').length).toBeLessThan(10);
    await expectUsable(client);
  });

  test('is given up if the server refuses', async () => {
    const { client } = await pair(resumable(ask => ask.send(400, 'what?')));
    const error = await failure(client.callTool('x'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.cause).toBeInstanceOf(HttpError);
    expect((error.cause as HttpError).status).toBe(400);
    await expectUsable(client);
  });

  test.each([404, 400, 405])(
    'is given up if the server answers with %i, and its call is not made again',
    async status => {
      const { client, server } = await pair(resumable(ask => ask.send(status)));
      const error = await failure(client.callTool('pay'));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.hadNoEffect).toBe(false);
      const calls = server.of('tools/call').filter(({ message }) => message.params.name === 'pay');
      expect(calls).toHaveLength(1);
      await expectUsable(client);
    },
  );

  test('is given up at the time limit if there is always something new', async () => {
    let last = 1;
    const { client } = await pair(resumable(ask => ask.stream().response.end(`id: e-${++last}\ndata:\n\n`)));
    const error = await failure(client.callTool('x', {}, { timeoutMs: 200 }));
    expect(error.name).toBe('RequestTimeout');
    await expectUsable(client);
    const seen = last;
    await expectUsable(client);
    expect(last - seen).toBeLessThan(2);
  });

  test('has ids that go back as they came', async () => {
    const heard: unknown[] = [];
    const { client } = await pair(
      resumable(ask => {
        heard.push(Buffer.from(ask.request.headers['last-event-id'] as string, 'latin1').toString());
        ask.send(405);
      }, 'schön ☃ 1'),
    );
    expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
    expect(heard).toEqual(['schön ☃ 1']);
  });

  test('has an id that no header can carry, and cannot be taken up', async () => {
    const { client, server } = await pair(resumable(ask => ask.send(405), 'a\u0001b'));
    expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
    expect(server.of('GET')).toEqual([]);
    await expectUsable(client);
  });

  test('is left at once when the client closes, though it waits to be taken up', async () => {
    const { client, server } = await pair(
      legacy({ 'tools/call': ask => ask.stream().response.end('id: 1\nretry: 20000\ndata:\n\n') }),
    );
    const call = failure(client.callTool('x'));
    while (server.of('tools/call').length === 0) await new Promise(setImmediate);
    await client.close();
    expect(await call).toBeInstanceOf(ConnectionError);
  });
});

describe('the stream for messages of a server of the handshake revisions', () => {
  const calls = { 'tools/call': (ask: Ask) => ask.text('fine') };

  test('that is refused is told once, with the reason', async () => {
    const warnings: string[] = [];
    const refusing = legacy({ ...calls, GET: ask => ask.send(401, 'no token') });
    const options = { onNotification: () => {}, onWarning: (text: string) => void warnings.push(text) };
    const { client } = await pair(refusing, options);
    for (let call = 0; call < 3; call++) await expectUsable(client);
    expect(warnings).toEqual([
      'the stream for messages of the server could not be opened, so messages may be missed: ' +
        'the server answered with HTTP status 401: no token',
    ]);
  });

  test.each([404, 405])('that does not exist is no reason for a warning: %i', async status => {
    const warnings: string[] = [];
    const lacking = legacy({ ...calls, GET: ask => ask.send(status) });
    const options = { onNotification: () => {}, onWarning: (text: string) => void warnings.push(text) };
    const { client } = await pair(lacking, options);
    await expectUsable(client);
    expect(warnings).toEqual([]);
  });
});
