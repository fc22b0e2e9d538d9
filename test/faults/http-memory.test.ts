import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpChild } from './http-child.js';
import { answerOf, EventStream, legacy, modern, openSession, post, textOf } from './messages.js';
import { ConnectionEnded, exchange, RawConnection, requestBytes } from './raw-http.js';

const MiB = 1024 * 1024;
const BOUND = 96 * MiB;
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };

let child: HttpChild;
beforeAll(async () => {
  child = await HttpChild.start();
  // Everything has been used once before the memory is looked at.
  await exchange(
    child.port,
    modern('tools/call', { name: 'burst', arguments: { messages: 10 } }, { meta: LOGS }),
  );
});
afterAll(() => {
  expect(child.errors).toBe('');
  child.kill();
});

/** How much the peak of memory grows while something happens. */
async function growth(happens: () => Promise<void>): Promise<number> {
  const before = child.peak;
  await happens();
  return child.peak - before;
}

async function expectAlive(): Promise<void> {
  const response = await exchange(
    child.port,
    modern('tools/call', { name: 'echo', arguments: { value: 1 } }),
  );
  expect(textOf(response)).toBe('1');
}

describe('a body', () => {
  test('of 256 MiB in chunks is refused and not kept', async () => {
    const grown = await growth(async () => {
      const connection = await RawConnection.open(child.port);
      connection.send(requestBytes(post('', { 'transfer-encoding': 'chunked' })));
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MiB, ' '), Buffer.from('\r\n')]);
      for (let sent = 0; sent < 256; sent++) if (!(await connection.deliver(chunk))) break;
      expect((await connection.response()).status).toBe(413);
    });
    expect(grown).toBeLessThan(BOUND);
    await expectAlive();
  });

  test('of 256 MiB with its length is refused and not kept', async () => {
    const grown = await growth(async () => {
      const connection = await RawConnection.open(child.port);
      connection.send(requestBytes(post('', { 'content-length': String(256 * MiB) })));
      for (let sent = 0; sent < 256; sent++) if (!(await connection.deliver(Buffer.alloc(MiB, ' ')))) break;
      expect((await connection.response()).status).toBe(413);
    });
    expect(grown).toBeLessThan(BOUND);
    await expectAlive();
  });

  test('in chunks of one byte takes about as much memory as its length', async () => {
    const { headers, body } = modern('tools/call', { name: 'echo', arguments: { value: 2 } });
    const chunks = Buffer.from('1\r\n?\r\n'.repeat(MiB));
    for (const [at, byte] of Buffer.from((body as string).padEnd(MiB)).entries()) chunks[at * 6 + 3] = byte;
    const grown = await growth(async () => {
      const connection = await RawConnection.open(child.port);
      connection.send(requestBytes({ headers: { ...headers, 'transfer-encoding': 'chunked' } }));
      for (let at = 0; at < chunks.length; at += MiB) await connection.deliver(chunks.subarray(at, at + MiB));
      connection.send('0\r\n\r\n');
      expect(textOf(await connection.response())).toBe('2');
    });
    expect(grown).toBeLessThan(BOUND);
  });
});

describe('a client that stops reading', () => {
  /** Opens a stream and then reads no more of it. */
  async function openAndStall(request: Parameters<typeof requestBytes>[0]): Promise<RawConnection> {
    const connection = await RawConnection.open(child.port);
    connection.send(requestBytes(request));
    expect((await connection.head()).headers.get('content-type')).toBe('text/event-stream');
    connection.socket.pause();
    return connection;
  }

  test.for(['modern', 'legacy'])('loses logs but not the answer (%s), and others are served', async era => {
    const params = { name: 'flood', arguments: { messages: 4000, bytes: 64 * 1024 } };
    const request =
      era === 'modern'
        ? modern('tools/call', params, { meta: LOGS })
        : legacy(await openSession(child.port), 'tools/call', params);
    const grown = await growth(async () => {
      const stalled = await EventStream.open(child.port, request);
      stalled.connection.socket.pause();
      const ended = exchange(child.port, modern('tools/call', { name: 'how-it-ended' }));
      // Others are served while the flood goes on.
      await expectAlive();
      expect(textOf(await ended)).toBe('sent');
      stalled.connection.socket.resume();
      const messages = await stalled.rest();
      expect(messages.pop().result.content[0].text).toBe('sent');
      const leftOut = messages.map(({ params }) => Number(/^(\d+) log messages/.exec(params.data)?.[1]) || 1);
      expect(leftOut.reduce((sum, count) => sum + count)).toBe(4000);
      expect(messages.length).toBeLessThan(4000);
    });
    expect(grown).toBeLessThan(BOUND);
  });

  test.for(['modern', 'legacy'])(
    'the notices of changes is cut off (%s), and others still get them',
    async era => {
      const [session, other] = [await openSession(child.port), await openSession(child.port)];
      const grown = await growth(async () => {
        const uris = Array.from({ length: 16 }, (_, n) => `menu://${'x'.repeat(4000)}/${n}`);
        const filter = { notifications: { resourceSubscriptions: uris } };
        for (const uri of uris) await exchange(child.port, legacy(session, 'resources/subscribe', { uri }));
        const get = (id: string) => ({
          method: 'GET',
          headers: { 'mcp-session-id': id, accept: 'text/event-stream' },
        });
        const stalled = await openAndStall(
          era === 'modern' ? modern('subscriptions/listen', filter) : get(session),
        );
        await exchange(child.port, legacy(other, 'resources/subscribe', { uri: 'menu://today' }));
        const reader = await EventStream.open(child.port, get(other));
        for (let round = 0; round < 100; round++) {
          const change = modern('tools/call', { name: 'change', arguments: { times: uris.length } });
          expect(textOf(await exchange(child.port, change))).toBe('changed');
          expect((await reader.next()).params.uri).toBe('menu://today');
        }
        stalled.socket.resume();
        await stalled.closed;
      });
      expect(grown).toBeLessThan(BOUND);
      await expectAlive();
    },
  );

  test('loses logs but not the answer over the old transport, too', async () => {
    const grown = await growth(async () => {
      const stream = await RawConnection.open(child.port);
      stream.send(requestBytes({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }));
      const head = await stream.head();
      let text = '';
      for await (const piece of stream.body(head)) {
        text += piece.toString();
        if (text.includes('\n\n')) break;
      }
      const path = /data: (.+)/.exec(text)![1]!;
      const send = (message: object) =>
        exchange(child.port, { ...post({ jsonrpc: '2.0', ...message }), path });
      const params = {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      expect((await send({ id: 0, method: 'initialize', params })).status).toBe(202);
      stream.socket.pause();
      const args = { messages: 4000, bytes: 64 * 1024 };
      await send({ id: 1, method: 'tools/call', params: { name: 'flood', arguments: args } });
      expect(textOf(await exchange(child.port, modern('tools/call', { name: 'how-it-ended' })))).toBe('sent');
      expect((await send({ id: 2, method: 'ping' })).status).toBe(429);
      stream.socket.resume();
      for await (const piece of stream.body(head)) {
        text = (text + piece.toString()).slice(-1000);
        if (text.includes('"text":"sent"')) break;
      }
      expect((await send({ id: 3, method: 'ping' })).status).toBe(202);
    });
    expect(grown).toBeLessThan(BOUND);
    await expectAlive();
  });
});

describe('a client that reads', () => {
  test.for([1, 8])('gets an answer of %i MiB after a notification', async mebibytes => {
    const params = { name: 'log-and-big', arguments: { bytes: mebibytes * MiB } };
    for (const request of [
      modern('tools/call', params, { meta: LOGS }),
      legacy(await openSession(child.port), 'tools/call', params),
    ]) {
      const stream = await EventStream.open(child.port, request);
      const [log, answer] = await stream.rest();
      expect(log.params.data).toBe('a large answer follows');
      expect(answer.result.content[0].text).toHaveLength(mebibytes * MiB);
    }
  });

  test('gets all of what a tool says at once, however much it is', async () => {
    const params = { name: 'burst', arguments: { messages: 10_000, bytes: 100 } };
    for (const request of [
      modern('tools/call', params, { meta: LOGS }),
      legacy(await openSession(child.port), 'tools/call', params),
    ]) {
      const stream = await EventStream.open(child.port, request);
      const messages = await stream
        .rest()
        .catch(error => (error instanceof ConnectionEnded ? ['cut off'] : [error]));
      expect(messages).toHaveLength(10_001);
      expect(messages.at(-1).result.content[0].text).toBe('said it all');
    }
  });
});

test('subscriptions of one session are bounded', async () => {
  const session = await openSession(child.port);
  const [uri = '', ...others] = Array.from({ length: 16 }, (_, n) => `menu://${'x'.repeat(4000)}/${n}`);
  const subscribe = async (to: string) =>
    answerOf(await exchange(child.port, legacy(session, 'resources/subscribe', { uri: to })));
  for (const other of others) expect((await subscribe(other)).result).toEqual({});
  expect((await subscribe(uri)).result).toEqual({});
  expect((await subscribe(uri)).result).toEqual({});
  expect((await subscribe(`${uri}?${'2'.repeat(2000)}`)).error.code).toBe(-32602);
  await exchange(child.port, legacy(session, 'resources/unsubscribe', { uri }));
  expect((await subscribe(`${uri.slice(0, -1)}2`)).result).toEqual({});
});
