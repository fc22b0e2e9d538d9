import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { answerOf, modern, POST_HEADERS, post, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const LIMIT = 4 * 1024 * 1024;

async function serveEcho() {
  return serve(echoing);
}

async function expectAlive(port: number): Promise<void> {
  const response = await exchange(
    port,
    modern('tools/call', { name: 'echo', arguments: { value: 'still here' } }),
  );
  expect(textOf(response)).toBe('"still here"');
}

/** An echo call whose value is nested so deep that the whole message has `depth` levels. */
function nested(depth: number): unknown {
  // The message, params, arguments: three levels before the value.
  return JSON.parse('['.repeat(depth - 3) + ']'.repeat(depth - 3));
}

describe('a body that is cut off', () => {
  test('runs nothing, and the server goes on', async () => {
    const calls: string[] = [];
    const { port } = await serve(server => {
      echoing(server);
      server.use(async (call, next) => {
        calls.push(call.method);
        return next();
      });
    });
    const whole = requestBytes(modern('tools/list'));
    const connection = await RawConnection.open(port);
    connection.send(whole.subarray(0, whole.length - 1));
    connection.destroy();
    await connection.closed;
    await expectAlive(port);
    expect(calls).toEqual(['tools/call']);
  });

  test('is answered with 400 if the client still reads', async () => {
    const { port } = await serveEcho();
    const connection = await RawConnection.open(port);
    const whole = requestBytes(modern('tools/list'));
    connection.send(whole.subarray(0, whole.length - 1));
    connection.socket.end();
    expect((await connection.response()).status).toBe(400);
    await expectAlive(port);
  });

  test('in the middle of a chunk runs nothing', async () => {
    const { port, errors } = await serveEcho();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(post('', { 'transfer-encoding': 'chunked' })));
    connection.send('ff\r\n{"jsonrpc":');
    connection.destroy();
    await connection.closed;
    await expectAlive(port);
    expect(errors).toEqual([]);
  });
});

describe('a body that is too large', () => {
  test('is refused with 413 by its length, before any of it is sent', async () => {
    const { port } = await serveEcho();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(post('', { 'content-length': String(LIMIT + 1) })));
    const response = await connection.response();
    expect(response.status).toBe(413);
    expect(answerOf(response).error.message).toContain(String(LIMIT));
    await expectAlive(port);
  });

  test('is refused with 413 as soon as its chunks exceed the limit, without waiting for the end', async () => {
    const { port } = await serveEcho();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(post('', { 'transfer-encoding': 'chunked' })));
    const chunk = Buffer.alloc(65_536, ' ');
    for (let sent = 0; sent <= LIMIT; sent += chunk.length) {
      await connection.deliver(Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]));
    }
    expect((await connection.response()).status).toBe(413);
    await expectAlive(port);
  });

  test('leaves the connection usable once it is through', async () => {
    const { port } = await serveEcho();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(post(Buffer.alloc(LIMIT + 1, ' '))));
    expect((await connection.response()).status).toBe(413);
    connection.send(requestBytes(modern('tools/call', { name: 'echo', arguments: { value: 2 } })));
    expect(textOf(await connection.response())).toBe('2');
  });

  test('of exactly the limit is read, and one byte more is not', async () => {
    const { port } = await serve(echoing, { maxBodyBytes: 1000 });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
    const session = { 'mcp-protocol-version': '2026-07-28' };
    expect((await exchange(port, post(body.padEnd(1000), session))).status).toBe(202);
    expect((await exchange(port, post(body.padEnd(1001), session))).status).toBe(413);
  });

  test('counts bytes, not characters', async () => {
    const { port } = await serve(echoing, { maxBodyBytes: 1000 });
    expect((await exchange(port, post('é'.repeat(501)))).status).toBe(413);
    expect((await exchange(port, post('é'.repeat(500)))).status).toBe(400);
  });
});

describe('nesting', () => {
  test.for([
    [255, 200],
    [256, 200],
    [257, 400],
    [1000, 400],
  ] as const)('of %i levels is answered with %i', async ([depth, status]) => {
    const { port } = await serveEcho();
    const response = await exchange(
      port,
      modern('tools/call', { name: 'echo', arguments: { value: nested(depth) } }),
    );
    expect(response.status).toBe(status);
    if (status === 200) expect(JSON.parse(textOf(response))).toEqual(nested(depth));
    else
      expect(answerOf(response).error).toMatchObject({
        code: -32600,
        message: expect.stringContaining('256'),
      });
  });

  test('of a million brackets is refused and harms nobody', async () => {
    const { port } = await serveEcho();
    for (const body of ['['.repeat(1_000_000), '{"a":'.repeat(200_000), '[{"a":'.repeat(160_000)]) {
      const response = await exchange(port, post(body));
      expect(response.status).toBe(400);
      expect(answerOf(response).error.code).toBe(-32600);
    }
    await expectAlive(port);
  });

  test('inside strings does not count', async () => {
    const { port } = await serveEcho();
    const value = `${'['.repeat(1000)}"\\${'{'.repeat(1000)}`;
    const response = await exchange(port, modern('tools/call', { name: 'echo', arguments: { value } }));
    expect(JSON.parse(textOf(response))).toBe(value);
  });
});

describe('a body that is no JSON text', () => {
  const bad: [string, string | Uint8Array][] = [
    ['nothing at all', ''],
    ['white space', ' \r\n\t'],
    ['words', 'hello'],
    ['half a message', '{"jsonrpc":"2.0","id":1,"method":"ping"'],
    ['two messages', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}'],
    ['a comment', '{"jsonrpc":"2.0",/*!*/"id":1,"method":"ping"}'],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ];
  test.for(bad)('but %s is refused with 400 and -32700, without an id', async ([, body]) => {
    const { port } = await serveEcho();
    const response = await exchange(port, post(body));
    expect(response.status).toBe(400);
    expect(answerOf(response)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: expect.any(String) },
    });
  });

  const notUtf8: [string, number[]][] = [
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ];
  // covers: 2026-07-28/transports/messages-are-utf-8
  test.for(notUtf8)('but has %s in a string is refused with 400', async ([, bytes]) => {
    const { port } = await serveEcho();
    const [before, after] = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { a: '!' },
    }).split('!');
    const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)]);
    const response = await exchange(port, post(body));
    expect(response.status).toBe(400);
    expect(answerOf(response).error.message).toContain('UTF-8');
  });
});

describe('the content type', () => {
  let served: RunningHttpServer;
  beforeAll(async () => {
    const server = new Server({ name: 'faults', version: '1.0.0' });
    echoing(server);
    served = await listen(server, { port: 0, keys: freshKeys() });
    return () => served.close(0);
  });

  test.for([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json ; foo=bar',
  ])('%s is read', async type => {
    const response = await exchange(
      served.port,
      modern('tools/list', {}, { headers: { 'content-type': type } }),
    );
    expect(response.status).toBe(200);
  });

  test.for([
    undefined,
    '',
    'text/plain',
    'text/plain; application/json',
    'application/jsonp',
    'application/json-rpc',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
  ])('%s is refused with 415, whatever the body says', async type => {
    const response = await exchange(
      served.port,
      modern('tools/list', {}, { headers: { 'content-type': type } }),
    );
    expect(response.status).toBe(415);
    expect(answerOf(response).error.code).toBe(-32600);
  });

  test.for([
    undefined,
    POST_HEADERS.accept,
    '*/*',
    'text/event-stream,application/json',
    'application/*, text/*',
    'APPLICATION/JSON, Text/Event-Stream',
    'application/json;q=0.1, text/event-stream;q=0.9',
    'text/html, */*;q=0.8',
  ])('with accept %s gets an answer', async accept => {
    const response = await exchange(served.port, modern('tools/list', {}, { headers: { accept } }));
    expect(response.status).toBe(200);
  });

  test.for([
    'application/json',
    'text/event-stream',
    'text/html',
    '',
    'application/json, text/event-stream;q=0',
    'application/json;q=0.0, text/event-stream',
    '*/*;q=0',
    '*/*, application/json;q=0',
    'application/json, text/*;q=0, */*',
  ])('with accept %s is refused with 406', async accept => {
    const response = await exchange(served.port, modern('tools/list', {}, { headers: { accept } }));
    expect(response.status).toBe(406);
  });
});
