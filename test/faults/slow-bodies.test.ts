import { afterEach, describe, expect, test, vi } from 'vitest';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { modern, POST_HEADERS } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';

const SECOND = 1000;

afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass in which a server sees that nothing comes. Timers are faked, sockets are not. */
function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

describe('a body', () => {
  test('that stops is refused with 408 after 15 seconds, and its connection closed', async () => {
    const { port } = await serve(echoing);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const whole = requestBytes(modern('tools/list'));
    const connection = await RawConnection.open(port);
    connection.send(whole.subarray(0, whole.length - 1));
    await seen(port);
    pass(15 * SECOND);
    expect((await connection.response()).status).toBe(408);
    pass(15 * SECOND);
    await connection.closed;
  });

  test('that never ends is refused after a minute, though there is always more of it', async () => {
    const { port } = await serve(echoing);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const connection = await RawConnection.open(port);
    connection.send(requestBytes({ headers: { ...POST_HEADERS, 'content-length': '1000' } }));
    for (let quarter = 0; quarter < 4; quarter++) {
      connection.send(' ');
      await seen(port);
      pass(15 * SECOND);
    }
    expect((await connection.response()).status).toBe(408);
  });

  test('of a refused request is not waited for any longer', async () => {
    const { port } = await serve(echoing);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    for (const path of ['/mcp', '/elsewhere']) {
      const connection = await RawConnection.open(port);
      const headers = { 'content-type': 'text/plain', 'content-length': '1000' };
      connection.send(requestBytes({ path, headers }));
      expect((await connection.response()).status).toBe(path === '/mcp' ? 415 : 404);
      pass(15 * SECOND);
      await connection.closed;
    }
  });

  test('that stops is refused over fetch, too', async () => {
    const server = new Server({ name: 'faults', version: '1.0.0' });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const body = new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(new Uint8Array(1)),
    });
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: POST_HEADERS,
      body,
      duplex: 'half',
    } as RequestInit);
    const response = fetchHandler(server)(request);
    await new Promise(resolve => setImmediate(resolve));
    pass(15 * SECOND);
    pass(15 * SECOND);
    expect((await response).status).toBe(408);
  });
});

test('empty lines between requests do not keep a connection open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { port } = await serve(echoing);
  const connection = await RawConnection.open(port);
  connection.send(requestBytes(modern('tools/list')));
  expect((await connection.response()).status).toBe(200);
  for (let time = 0; time < 120; time += 7.5) {
    connection.send('\r\n');
    await seen(port);
    pass(7.5 * SECOND);
  }
  await connection.closed;
});

/** Waits until the server has read what was sent before: it reads connections in the order in which bytes arrive. */
async function seen(port: number): Promise<void> {
  for (let round = 0; round < 3; round++) await exchange(port, modern('tools/list'));
}
