import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { legacy, modern, openSession, POST_HEADERS, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';

const MiB = 1024 * 1024;
/** Another address than that of the client whose calls have to go on. */
const ATTACKER = '127.0.0.2';
const echo = (value: unknown) => modern('tools/call', { name: 'echo', arguments: { value } });

/** Beginnings of requests. The rest of them never comes. */
const HUNG = {
  'whose bodies stop after the first piece': [requestBytes(echo('x'.repeat(100))).subarray(0, -50)],
  'whose bodies stop after the second piece': [
    requestBytes(echo('x'.repeat(100))).subarray(0, -50),
    Buffer.from('x'),
  ],
  'whose bodies never begin': [requestBytes({ headers: { ...POST_HEADERS, 'content-length': '100' } })],
  'that were refused before their bodies came': [
    requestBytes({ headers: { 'content-type': 'text/plain', 'content-length': '100' } }),
  ],
  'to unknown paths whose bodies never come': [
    requestBytes({ path: '/elsewhere', headers: { 'content-length': '100' } }),
  ],
  'whose heads do not end': [requestBytes(echo(1)).subarray(0, 200)],
};

describe('a client is served while the memory of a server is full of requests of another one', () => {
  test.for(Object.entries(HUNG))('%s', async ([, pieces]) => {
    const { port } = await serve(echoing, { maxHeldBytes: MiB });
    const session = await openSession(port);
    const hung: RawConnection[] = [];
    // Each takes more than 4 KiB, so that half of them would fill the memory.
    for (let n = 0; n < 400; n++) {
      const connection = await RawConnection.open(port, '127.0.0.1', ATTACKER);
      hung.push(connection);
      for (const piece of pieces) await connection.deliver(piece);
      if (n % 20 > 0) continue;
      expect(textOf(await exchange(port, echo(n)))).toBe(`${n}`);
      const call = legacy(session, 'tools/call', { name: 'echo', arguments: { value: n } });
      expect(textOf(await exchange(port, call))).toBe(`${n}`);
    }
    for (const connection of hung) connection.destroy();
  });
});

test('a client is served over fetch while the memory of a server is full of bodies that stopped', async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  const handle = fetchHandler(server, { keys: freshKeys(), maxHeldBytes: MiB });
  const send = (body: string | ReadableStream, headers: Record<string, string>) =>
    handle(
      new Request('http://localhost/mcp', { method: 'POST', headers, body, duplex: 'half' } as RequestInit),
    );
  const stopped = () =>
    new ReadableStream<Uint8Array>({ start: controller => controller.enqueue(new Uint8Array(1)) });
  const hung = Array.from({ length: 750 }, () => send(stopped(), POST_HEADERS));
  // Bodies that arrive at once are read before others could go for them.
  await new Promise(resolve => setTimeout(resolve));
  const { body, headers } = echo(1);
  const response = await send(body as string, headers as Record<string, string>);
  expect(await response.text()).toContain('"text":"1"');
  expect((await (hung[0] as Promise<Response>)).status).toBe(503);
  await handle.close(0);
});

test('a body that stopped is refused with 503, and its connection closed, when its memory is needed', async () => {
  const { port } = await serve(echoing, { maxHeldBytes: MiB });
  const first = await RawConnection.open(port, '127.0.0.1', ATTACKER);
  await first.deliver(requestBytes(echo('x'.repeat(100))).subarray(0, -50));
  const others: RawConnection[] = [];
  for (let n = 0; n < 400; n++) {
    const connection = await RawConnection.open(port, '127.0.0.1', ATTACKER);
    others.push(connection);
    await connection.deliver(requestBytes(echo('x'.repeat(100))).subarray(0, -50));
  }
  const { status, headers } = await first.response();
  expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '2', 'close']);
  await first.closed;
  for (const connection of others) connection.destroy();
});
