import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CannotConnect, ConnectionError, connect } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { connected, expectUsable, failure, pair, serveRaw } from './connected.js';
import { type Answer, DISCOVERY, LEGACY, legacy, MODERN, modern, welcome } from './raw-server.js';

failOnUnhandled();

const SHORT = { probeTimeoutMs: 50, timeoutMs: 100 };
const fine: Answer = ask => ask.text('fine');

describe('connecting', () => {
  const stubborn: [string, Answer][] = [
    ['says nothing at all', () => {}],
    ['does not answer to initialize', legacy({ initialize: () => {} })],
    ['opens a stream for initialize and says nothing', legacy({ initialize: ask => ask.stream() })],
    ['does not answer to notifications', legacy({ 'notifications/initialized': () => {} })],
    ['is overloaded', ask => ask.send(503)],
    ['answers everything with 202', ask => ask.send(202)],
    ['answers everything with 200 and HTML', ask => ask.send(200, '<html>', { 'content-type': 'text/html' })],
    ['answers everything with an error', ask => ask.error(-32603, 'no')],
    ['hangs up', ask => ask.response.destroy()],
    ['welcomes with nonsense', legacy({ initialize: ask => ask.result({ protocolVersion: { a: 1 } }) })],
    [
      'speaks no revision',
      modern({ 'server/discover': ask => ask.result({ ...DISCOVERY, supportedVersions: [] }) }),
    ],
    [
      'speaks only what is to come',
      modern({ 'server/discover': ask => ask.result({ ...DISCOVERY, supportedVersions: ['2099-01-01'] }) }),
    ],
    [
      'speaks far too much',
      modern({
        'server/discover': ask =>
          ask.result({ ...DISCOVERY, supportedVersions: Array(100_000).fill('x'.repeat(20)) }),
      }),
    ],
    [
      'asks for input before anything',
      modern({ 'server/discover': ask => ask.result({ resultType: 'input_required', requestState: 'x' }) }),
    ],
  ];
  test('to a server without handshakes whose discovery fails blames the discovery', async () => {
    const server = await serveRaw(
      modern({ 'server/discover': ask => ask.error(-32603, 'no database', { status: 500 }) }),
    );
    const error = await failure(connected(server.url));
    expect(error).toMatchObject({ kind: 'cannot-connect', cause: { status: 500 } });
    expect(error.message).toContain('it has trouble of its own');
    expect(error.message).toContain('no database');
  });

  test('lists the same attempt with the same outcome once', async () => {
    const server = await serveRaw(ask =>
      ask.method === 'server/discover' ? ask.result({}) : ask.error(-32022, 'too old'),
    );
    const error = await failure(connected(server.url));
    expect(error.message.match(/initialize: too old/g)).toHaveLength(1);
    expect(error.attempts.length).toBeGreaterThan(2);
  });

  test.for(stubborn)('to a server that %s fails soon, and says why', async ([, answer]) => {
    const server = await serveRaw(answer);
    const error = await failure(connected(server.url, SHORT));
    expect(error).toBeInstanceOf(CannotConnect);
    expect(error.attempts.length).toBeGreaterThan(0);
    expect(error.message.length).toBeLessThan(3000);
    expect(server.asks.length).toBeLessThan(6);
  });

  test('to a server without a common revision says so', async () => {
    const server = await serveRaw(
      modern({ 'server/discover': ask => ask.result({ ...DISCOVERY, supportedVersions: ['2099-01-01'] }) }),
    );
    expect((await failure(connected(server.url))).message).toContain(
      'no revision that both sides speak: it has 2099-01-01',
    );
  });

  test('to nothing fails at once', async () => {
    const server = await serveRaw(fine);
    await server.close();
    expect(await failure(connected(server.url))).toBeInstanceOf(CannotConnect);
  });

  test('to something that is no web server fails', async () => {
    const server = createServer(socket => {
      socket.on('error', () => {}).write('220 mail.example ESMTP\r\n');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await failure(connected(`http://127.0.0.1:${port}/mcp`, SHORT))).toBeInstanceOf(CannotConnect);
  });

  test('is not stopped by a server that opens a stream for notifications', async () => {
    const { client, server } = await pair(
      legacy({ 'notifications/initialized': ask => ask.stream(), 'tools/call': fine }),
    );
    await expectUsable(client);
    await server.of('notifications/initialized')[0]!.gone;
  });

  test('is not stopped by a server that knows no log levels', async () => {
    const warnings: string[] = [];
    const { client } = await pair(legacy({ 'tools/call': fine }), {
      logLevel: 'debug',
      onWarning: text => warnings.push(text),
    });
    await expectUsable(client);
    expect(warnings).toEqual([expect.stringContaining('logging/setLevel')]);
  });

  const stages: [string, (abort: () => void) => Answer][] = [
    ['the first question', abort => () => abort()],
    ['the handshake', abort => legacy({ initialize: abort })],
    ['the end of the handshake', abort => legacy({ 'notifications/initialized': abort })],
    ['the stream of the old transport', abort => ask => (ask.method === 'GET' ? abort() : ask.send(404))],
    [
      'the address in the stream of the old transport',
      abort => ask => {
        if (ask.method !== 'GET') return ask.send(404);
        ask.stream();
        setImmediate(abort);
      },
    ],
  ];
  test.for(stages)('ends at once when it is no longer wanted, at %s', async ([, stage]) => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const server = await serveRaw(stage(() => controller.abort(reason)));
    expect(await failure(connect(server.url, { signal: controller.signal }))).toBe(reason);
    await server.asks.at(-1)!.gone;
  });

  test('a signal that aborts when the client is connected has no effect', async () => {
    const controller = new AbortController();
    let isModern = true;
    const [now, then] = [modern({ 'tools/call': fine }), legacy({ 'tools/call': fine })];
    const { client } = await pair(ask => (isModern ? now : then)(ask), { signal: controller.signal });
    controller.abort();
    await expectUsable(client);
    isModern = false;
    await expectUsable(client);
  });
});

describe('the transport of the first revision', () => {
  const only =
    (answer: Answer): Answer =>
    ask =>
      ask.method === 'GET' ? answer(ask) : ask.send(405);

  test.for([
    ['another server', 'http://127.0.0.2:1/messages'],
    ['nowhere', 'http://'],
    ['a script', 'javascript:alert(1)'],
  ])('does not send messages to %s', async ([, endpoint]) => {
    const server = await serveRaw(
      only(ask => ask.stream().response.write(`event: endpoint\ndata: ${endpoint}\n\n`)),
    );
    const error = await failure(connected(server.url, { headers: { authorization: 'secret' } }));
    expect(error).toBeInstanceOf(CannotConnect);
    expect(error.message).toContain('refused');
    await server.of('GET')[0]!.gone;
  });

  test.for<[string, Answer]>([
    ['ends', ask => ask.stream().response.end()],
    ['breaks', ask => ask.stream().response.destroy()],
    ['is none', ask => ask.send(200, '<html>', { 'content-type': 'text/html' })],
    ['redirects', ask => ask.send(307, '', { location: 'http://127.0.0.2:1/' })],
  ])('fails at once if its stream %s', async ([, answer]) => {
    const server = await serveRaw(only(answer));
    expect(await failure(connected(server.url))).toBeInstanceOf(CannotConnect);
  });

  // covers: 2024-11-05/transports/sse-client-posts-to-the-endpoint
  test('fails its calls at once when its stream ends, and works again after that', async () => {
    let stream: Parameters<Answer>[0] | undefined;
    const answer: Answer = ask => {
      if (ask.method === 'GET') {
        stream = ask.stream();
        return ask.response.write('event: endpoint\ndata: /messages\n\n');
      }
      if (ask.request.url !== '/messages') return ask.send(405);
      ask.send(202);
      const { method, params } = ask.message;
      if (method === 'initialize') {
        const { protocolVersion } = params;
        stream!.event(
          ask.resultMessage({
            protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          }),
        );
      } else if (params?.name === 'fine') stream!.event(ask.textMessage('fine'));
      else if (method === 'tools/call') stream!.response.destroy();
    };
    const { client } = await pair(answer);
    await expectUsable(client);
    expect(await failure(client.callTool('end'))).toBeInstanceOf(ConnectionError);
    await expectUsable(client);
  });
});

describe('a server that becomes another', () => {
  /** A server that can be of either era, as strict as servers that know only one. */
  function changing(calls: Answer, code = -32000) {
    const state = { era: 'modern' };
    let sessions = 0;
    const old = legacy({ 'tools/call': calls }, () => `s-${++sessions}`);
    const answer: Answer = ask => {
      const version = ask.request.headers['mcp-protocol-version'];
      if (state.era === 'modern') {
        if (version === MODERN) return modern({ 'tools/call': calls })(ask);
        if (ask.message?.id === undefined) return ask.send(400);
        return ask.error(-32022, 'Unsupported protocol version', {
          status: 400,
          data: { supported: [MODERN], requested: version },
        });
      }
      if (ask.method === 'initialize' || ask.session === `s-${sessions}`) return old(ask);
      const error = { code, message: 'Bad Request: Server not initialized' };
      ask.send(400, JSON.stringify({ jsonrpc: '2.0', id: null, error }), {
        'content-type': 'application/json',
      });
    };
    return { state, answer };
  }

  test('is spoken to as what it is, in both directions', async () => {
    const { state, answer } = changing(fine);
    const { client, server } = await pair(answer);
    for (const era of ['modern', 'legacy', 'modern', 'legacy']) {
      state.era = era;
      await expectUsable(client);
      expect(client.revision === MODERN).toBe(era === 'modern');
      expect(client.negotiated.revision).toBe(client.revision);
    }
    const before = server.asks.length;
    await expectUsable(client);
    expect(server.asks.length).toBe(before + 1);
  });

  test.each([-32000, -32001, -32600, -1])(
    'is recognised by the status 400, not by the code %i',
    async code => {
      const { state, answer } = changing(fine, code);
      const { client } = await pair(answer);
      state.era = 'legacy';
      await expectUsable(client);
      expect(client.revision).not.toBe(MODERN);
    },
  );

  test('is asked once what it is by twenty calls at the same time', async () => {
    const { state, answer } = changing(fine);
    const { client, server } = await pair(answer);
    state.era = 'legacy';
    await Promise.all(Array.from({ length: 20 }, () => expectUsable(client)));
    expect(server.of('initialize')).toHaveLength(1);
  });

  test('may finish what it was doing', async () => {
    let finish = () => {};
    const { state, answer } = changing(ask => {
      if (ask.message.params.name === 'fine') return ask.text('fine');
      finish = () => ask.text('slow');
    });
    const { client, server } = await pair(answer);
    const slow = client.callTool('slow');
    while (server.of('tools/call').length === 0) await new Promise(setImmediate);
    state.era = 'legacy';
    await expectUsable(client);
    finish();
    expect(await slow).toMatchObject({ content: [{ text: 'slow' }] });
    await expectUsable(client);
  });

  test('and becomes nothing fails calls, and is found again', async () => {
    const { state, answer } = changing(fine);
    const { client } = await pair(ask =>
      state.era === 'none' ? ask.send(404, 'nothing here') : answer(ask),
    );
    state.era = 'none';
    for (let call = 0; call < 2; call++) {
      expect(await failure(client.callTool('x'))).toMatchObject({ name: 'HttpError', status: 404 });
    }
    state.era = 'legacy';
    await expectUsable(client);
  });
});

test('a server that refuses much is not asked each time what it is, and its other calls go on', async () => {
  let finish = () => {};
  const { client, server } = await pair(
    modern({
      'tools/call': ask => {
        const { name } = ask.message.params;
        if (name === 'fine') return ask.text('fine');
        if (name === 'slow') finish = () => ask.text('slow');
        else ask.send(422, 'what?');
      },
    }),
  );
  const slow = client.callTool('slow');
  for (let call = 0; call < 10; call++) {
    expect(await failure(client.callTool('odd'))).toMatchObject({ name: 'HttpError', status: 422 });
  }
  expect(server.of('server/discover')).toHaveLength(2);
  finish();
  expect(await slow).toMatchObject({ content: [{ text: 'slow' }] });
});

test('a client that is closed while it connects anew ends everything at once', async () => {
  let isLost = false;
  const { client, server } = await pair(ask => {
    if (isLost && ask.method === 'initialize') return;
    if (isLost) return ask.send(400);
    if (ask.method === 'server/discover') return ask.send(404);
    if (ask.method === 'initialize') return welcome(ask, undefined);
    if (ask.method === 'notifications/initialized') return ask.send(202);
    ask.text('fine');
  });
  isLost = true;
  const call = failure(client.callTool('x'));
  while (server.of('initialize').length < 2) await new Promise(setImmediate);
  const begun = performance.now();
  await client.close();
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(await call).toBeInstanceOf(ConnectionError);
  expect(await failure(client.callTool('x'))).toBeInstanceOf(ConnectionError);
});

describe('an error with a code that means nothing in particular', () => {
  // covers: 2026-07-28/basic/no-meaning-of-legacy-codes
  test.each(Array.from({ length: 20 }, (_, at) => -32000 - at).filter(code => code !== -32002))(
    'is told as it is, and changes nothing: %i',
    async code => {
      const { client, server } = await pair(modern({ 'tools/call': ask => ask.error(code, 'no') }));
      await expect(client.callTool('greet')).rejects.toMatchObject({ code, message: 'no' });
      expect(server.asks.map(ask => ask.method)).toEqual(['server/discover', 'tools/list', 'tools/call']);
    },
  );
});

describe('an answer to server/discover of an unknown type', () => {
  // covers: 2026-07-28/basic/unknown-result-type-is-invalid
  test.each(['zzz', 5, null, 'input_required'])('does not connect: %j', async resultType => {
    const discover: Answer = ask => ask.result({ ...DISCOVERY, resultType, requestState: 's' });
    const server = await serveRaw(modern({ 'server/discover': discover }));
    expect(await failure(connected(server.url))).toBeInstanceOf(CannotConnect);
    const old = await serveRaw(legacy({ 'server/discover': discover }));
    expect((await connected(old.url)).revision).toBe(LEGACY);
  });
});
