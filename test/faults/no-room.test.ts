import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { ERROR } from '../../src/vocabulary/index.js';
import { answerOf, ENVELOPE, legacy, modern, openSession, post, textOf } from './messages.js';
import { exchange, RawConnection, type RawRequest, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';

const KiB = 1024;
const BUSY = { code: ERROR.busy, data: { retryAfterMs: 2000 } };

/** A server that holds up to 1 MiB, with a tool that begins and goes on until all calls are released. */
async function serveSmall(
  options: { maxHeldBytes: number; proxies?: number } = { maxHeldBytes: 1024 * KiB },
) {
  let began = () => {};
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  // The servers of all tests share what the process may hold, and a call holds its arguments until its handler ends.
  onTestFinished(() => release());
  const served = await serve(server => {
    echoing(server);
    server.tool('hold', { input: { type: 'object' } }, async () => {
      began();
      await released;
      return 'held';
    });
  }, options);
  /** Calls the tool, and waits until it runs. */
  const hold = async (request: RawRequest) => {
    const begun = new Promise<void>(resolve => {
      began = resolve;
    });
    const connection = await RawConnection.open(served.port);
    connection.send(requestBytes(request));
    await begun;
    return connection;
  };
  return { ...served, hold, release };
}

const holding = (kibibytes: number) => ({ name: 'hold', arguments: { text: 'x'.repeat(kibibytes * KiB) } });
const ECHO = ['tools/call', { name: 'echo', arguments: { value: 1 } }] as const;
const echo = modern(...ECHO);
const largeEcho = modern('tools/call', { name: 'echo', arguments: { value: 'x'.repeat(200 * KiB) } });

test('a session that holds its share is refused more with 429, and told when to come back; others are not', async () => {
  const { port, hold } = await serveSmall();
  const session = await openSession(port);
  await hold(legacy(session, 'tools/call', holding(200)));
  const refused = await exchange(port, legacy(session, 'tools/call', holding(100)));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(answerOf(refused)).toMatchObject({ id: 1, error: BUSY });
  expect((await exchange(port, legacy(session, 'ping'))).status).toBe(200);
  await hold(legacy(await openSession(port), 'tools/call', holding(100)));
  expect(textOf(await exchange(port, echo))).toBe('1');
});

test('a full server refuses large requests with 503 and serves small ones; it recovers when calls end', async () => {
  const { port, hold, release } = await serveSmall();
  const held = [];
  for (let n = 0; n < 3; n++) held.push(await hold(modern('tools/call', holding(200))));
  const refused = await exchange(port, largeEcho);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(answerOf(refused)).toMatchObject({ error: BUSY });
  expect(textOf(await exchange(port, echo))).toBe('1');
  release();
  for (const connection of held) expect(textOf(await connection.response())).toBe('held');
  expect((await exchange(port, largeEcho)).status).toBe(200);
});

test('the servers of one process share what they may hold', async () => {
  const full = await serveSmall();
  const held = [];
  for (let n = 0; n < 3; n++) held.push(await full.hold(modern('tools/call', holding(200))));
  const { port } = await serveSmall();
  expect((await exchange(port, largeEcho)).status).toBe(503);
  expect(textOf(await exchange(port, echo))).toBe('1');
  full.release();
  for (const connection of held) expect(textOf(await connection.response())).toBe('held');
  expect((await exchange(port, largeEcho)).status).toBe(200);
});

test('a call that waits for its client ends when another server of the process needs its memory', async () => {
  const { port: other } = await serveSmall();
  const { port } = await serveAsking();
  const [first] = await askForRoots(port, 3);
  expect((await exchange(other, largeEcho)).status).toBe(200);
  expect(await restOf(first as RawConnection)).toContain(`"code":${ERROR.busy}`);
});

test('the largest limit of the open servers is the limit of the process', async () => {
  const small = await serveSmall();
  const large = await serveSmall({ maxHeldBytes: 4096 * KiB });
  for (let n = 0; n < 3; n++) await large.hold(modern('tools/call', holding(500)));
  expect((await exchange(small.port, largeEcho)).status).toBe(200);
  large.release();
  await large.close();
  const next = await serveSmall();
  for (let n = 0; n < 3; n++) await next.hold(modern('tools/call', holding(200)));
  expect((await exchange(small.port, largeEcho)).status).toBe(503);
});

test('a message that can never be held is refused for good', async () => {
  const { port } = await serveSmall();
  const refused = await exchange(
    port,
    modern('tools/call', { name: 'echo', arguments: { value: Array(20_000).fill({}) } }),
  );
  expect([refused.status, answerOf(refused).error.code]).toEqual([413, ERROR.invalidRequest]);
});

test('a call that waits for its client longest ends when a new one needs its memory', async () => {
  const { port } = await serveAsking();
  const [first] = await askForRoots(port, 5);
  expect(await restOf(first as RawConnection)).toContain(`"code":${ERROR.busy}`);
  expect(textOf(await exchange(port, echo))).toBe('1');
});

test('a listen request that is too large to be kept is refused', async () => {
  const { port } = await serve(echoing);
  const params = { notifications: { toolsListChanged: true }, junk: 'x'.repeat(300 * KiB) };
  const refused = answerOf(await exchange(port, modern('subscriptions/listen', params)));
  expect(refused.error.code).toBe(ERROR.invalidRequest);
});

/** Calls that go on, each over a connection of its own, until the server has refused several. */
async function fillFrom(addresses: readonly string[], port: number, request: RawRequest): Promise<void> {
  const connections: RawConnection[] = [];
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
  });
  let refused = 0;
  for (let n = 0; refused < 20; n++) {
    const connection = await RawConnection.open(port, '127.0.0.1', addresses[n % addresses.length]);
    connections.push(connection);
    connection.socket.once('data', () => refused++);
    connection.send(requestBytes(request));
  }
}

test('many small calls from a few addresses leave room for the clients of others', async () => {
  const { port } = await serveSmall({ maxHeldBytes: 8192 * KiB });
  await fillFrom(
    ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'],
    port,
    modern('tools/call', holding(0)),
  );
  expect(textOf(await exchange(port, echo))).toBe('1');
  expect(textOf(await exchange(port, legacy(await openSession(port), ...ECHO)))).toBe('1');
});

test('behind a proxy, its clients are told apart by the addresses that it has added', async () => {
  const { port } = await serveSmall({ maxHeldBytes: 8192 * KiB, proxies: 1 });
  const from = (address: string, request: RawRequest) => ({
    ...request,
    headers: { ...request.headers, 'x-forwarded-for': `203.0.113.7, ${address}` },
  });
  await fillFrom(['127.0.0.1'], port, from('198.51.100.1:4711', modern('tools/call', holding(0))));
  expect((await exchange(port, from('198.51.100.1', echo))).status).toBe(503);
  expect(textOf(await exchange(port, from('198.51.100.2', echo)))).toBe('1');
});

test.for(['at once', 'later'])(
  'the answers to a batch share the memory of their session; those that do not fit become errors (%s)',
  async when => {
    let calls = 0;
    const { port } = await serve(
      server => {
        server.tool('big', {}, async () => {
          calls++;
          return 'x'.repeat(100 * KiB);
        });
        server.tool('big at once', {}, () => {
          calls++;
          return 'x'.repeat(100 * KiB);
        });
      },
      { maxHeldBytes: 1024 * KiB },
    );
    const session = await openSession(port, { protocolVersion: '2025-03-26' });
    const name = when === 'later' ? 'big' : 'big at once';
    const batch = Array.from({ length: 10 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name },
    }));
    const response = await exchange(port, post(batch, { 'mcp-session-id': session }));
    const [first, second, third, ...others] = JSON.parse(response.body);
    expect([first.result.content.length, second.result.content.length]).toEqual([1, 1]);
    for (const left of [third, ...others]) expect(left.error).toMatchObject(BUSY);
    expect(third.error.message).toContain('this request was run');
    const fate = when === 'later' ? 'this request was run' : 'this request was not run';
    for (const other of others) expect(other.error.message).toContain(fate);
    expect(calls).toBe(when === 'later' ? 10 : 3);
    expect((await exchange(port, legacy(session, 'tools/call', { name }))).status).toBe(200);
  },
);

test('a client on a pipe is refused, too', async () => {
  const server = new Server({ name: 'small', version: '1.0.0' });
  server.tool('hold', { input: { type: 'object' } }, () => new Promise(() => {}));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = serveStdio(server, { input, output, maxHeldBytes: 1024 * KiB });
  const call = (id: number) => {
    const params = { ...holding(600), _meta: ENVELOPE };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  };
  call(1);
  call(2);
  const [line] = (await output.setEncoding('utf8')[Symbol.asyncIterator]().next()).value.split('\n');
  expect(JSON.parse(line)).toMatchObject({ id: 2, error: BUSY });
  await running.close(0);
});

/** A server that holds up to 1 MiB, with a tool that asks for the roots of its client. */
function serveAsking() {
  return serve(
    server => {
      echoing(server);
      server.tool(
        'roots',
        { input: { type: 'object' } },
        async (_args, ctx) => `${(await ctx.roots()).length} roots`,
      );
    },
    { maxHeldBytes: 1024 * KiB },
  );
}

/** Calls that tool in so many sessions, each with 200 KiB, and leaves the questions without an answer. */
async function askForRoots(port: number, count: number): Promise<RawConnection[]> {
  const waiting: RawConnection[] = [];
  for (let n = 0; n < count; n++) {
    const session = await openRootsSession(port);
    const connection = await RawConnection.open(port);
    const params = { name: 'roots', arguments: { text: 'x'.repeat(200 * KiB) } };
    connection.send(requestBytes(legacy(session, 'tools/call', params)));
    await connection.head();
    waiting.push(connection);
  }
  return waiting;
}

/** Reads a stream to its end. */
async function restOf(connection: RawConnection): Promise<string> {
  let text = '';
  const head = { status: 200, headers: new Map([['transfer-encoding', 'chunked']]) };
  for await (const piece of connection.body(head)) text += piece;
  return text;
}

/** Opens a session of a client that can be asked for its roots. */
async function openRootsSession(port: number): Promise<string> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { roots: {} },
    clientInfo: { name: 'roots', version: '1.0.0' },
  };
  const opened = await exchange(port, {
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  const session = opened.headers.get('mcp-session-id') as string;
  await exchange(port, {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  });
  return session;
}
