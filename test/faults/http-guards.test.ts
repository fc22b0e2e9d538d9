import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeHandler } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { answerOf, modern, POST_HEADERS, shown } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const HUGE = { ...POST_HEADERS, 'content-length': String(1e12) };

function listTools(headers: Record<string, string | readonly string[] | undefined>) {
  return modern('tools/list', {}, { headers });
}

describe('the Host header', () => {
  test.for([
    'localhost',
    'LocalHost',
    'localhost:1234',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.8.9.1',
    '[::1]',
    '[::1]:3000',
  ])('%s reaches a server on loopback', async host => {
    const { port } = await serve(echoing);
    expect((await exchange(port, listTools({ host }))).status).toBe(200);
  });

  test.for(
    shown([
      'evil.example',
      'localhost.evil.example',
      'evil.example:80',
      'localhost@evil.example',
      'evil.example@localhost',
      'user:pass@localhost',
      'localhost:80@evil.example',
      'localhost evil.example',
      'localhost,evil.example',
      'localhost/evil',
      'localhost#evil',
      'localhost:',
      'localhost:80:80',
      'localhost.',
      '127.0.0.1.evil.example',
      '127.0.0.1.',
      '0.0.0.0',
      '10.0.0.1',
      '[::1].evil.example',
      '[::2]',
      '::1',
      '[::ffff:10.0.0.1]',
      '',
      '\xe9',
    ]),
  )('$text does not', async ({ value: host }) => {
    const { port } = await serve(echoing);
    const response = await exchange(port, listTools({ host }));
    expect(response.status).toBe(403);
    expect(answerOf(response)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.any(String) },
    });
  });

  test('that is missing is refused', async () => {
    const { port } = await serve(echoing);
    expect((await exchange(port, listTools({ host: undefined }))).status).toBe(400);
    const connection = await RawConnection.open(port);
    connection.send('POST /mcp HTTP/1.0\r\ncontent-length: 0\r\n\r\n');
    expect((await connection.response()).status).toBe(403);
  });

  test.for([
    ['localhost', 'localhost'],
    ['localhost', 'evil.example'],
    ['evil.example', 'localhost'],
  ])('that comes twice is refused: %s', async host => {
    const { port } = await serve(echoing);
    expect((await exchange(port, listTools({ host }))).status).toBe(400);
  });

  test('may be any of the allowed ones, and no other', async () => {
    const { port } = await serve(echoing, { allowedHosts: ['MCP.example.com', '[2001:db8::1]'] });
    const statusFor = async (host: string) => (await exchange(port, listTools({ host }))).status;
    expect(await statusFor('mcp.example.com')).toBe(200);
    expect(await statusFor('mcp.example.com:8443')).toBe(200);
    expect(await statusFor('[2001:DB8::1]:443')).toBe(200);
    expect(await statusFor('localhost')).toBe(200);
    expect(await statusFor('example.com')).toBe(403);
    expect(await statusFor('x.mcp.example.com')).toBe(403);
  });

  test('may be ::1 on a server that listens there', async () => {
    const { port, url } = await serve(echoing, { host: '::1' });
    expect(url).toBe(`http://[::1]:${port}/mcp`);
    for (const [host, status] of [
      ['[::1]', 200],
      ['localhost', 200],
      ['evil.example', 403],
    ] as const) {
      const connection = await RawConnection.open(port, '::1');
      connection.send(requestBytes(listTools({ host })));
      expect((await connection.response()).status).toBe(status);
    }
  });

  test('is checked by the address of the connection, also if the server listens on all', async () => {
    const { port } = await serve(echoing, { host: '0.0.0.0' });
    expect((await exchange(port, listTools({ host: 'evil.example' }))).status).toBe(403);
    expect((await exchange(port, listTools({ host: 'localhost' }))).status).toBe(200);
  });
});

describe('the Origin header', () => {
  test.for(['http://localhost', 'http://localhost:5173', 'https://127.0.0.1:8080', 'http://[::1]:3000'])(
    '%s may call a server on loopback',
    async origin => {
      const { port } = await serve(echoing);
      const response = await exchange(port, listTools({ origin }));
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toBe('origin');
    },
  );

  test.for(
    shown([
      'null',
      '',
      '*',
      'https://evil.example',
      'http://localhost.evil.example',
      'http://localhost@evil.example',
      'http://evil.example#localhost',
      'http://127.0.0.1.evil.example',
      'file://localhost',
      'file://',
      'chrome-extension://abc',
      'javascript:alert(1)//localhost',
      'http://localhost\\@evil.com',
      'http://local\xadhost',
      'http://localhost/',
      'http://localhost/path',
      'http://localhost:80',
      'HTTP://localhost',
      'http:localhost',
      'http://\xe9',
      'http://localhost\xe9',
      'localhost',
      '//localhost',
    ]),
  )('$text may not', async ({ value: origin }) => {
    const { port } = await serve(echoing);
    const response = await exchange(port, listTools({ origin }));
    expect(response.status).toBe(403);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  test('that comes twice may not', async () => {
    const { port } = await serve(echoing);
    const origin = ['http://localhost', 'https://evil.example'];
    expect((await exchange(port, listTools({ origin }))).status).toBe(403);
  });

  test('may be any of the allowed ones, and no other', async () => {
    const { port } = await serve(echoing, { allowedOrigins: ['https://app.example.com/'] });
    const statusFor = async (origin: string) => (await exchange(port, listTools({ origin }))).status;
    expect(await statusFor('https://app.example.com')).toBe(200);
    expect(await statusFor('https://app.example.com.evil.example')).toBe(403);
    expect(await statusFor('http://app.example.com')).toBe(403);
    expect(await statusFor('https://app.example.com:444')).toBe(403);
  });

  test('is asked about by a preflight, which a foreign one does not pass', async () => {
    const { port } = await serve(echoing);
    const preflight = (origin: string) =>
      exchange(port, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'mcp-method',
        },
      });
    const allowed = await preflight('http://localhost:5173');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-headers')).toBe('mcp-method');
    const foreign = await preflight('https://evil.example');
    expect(foreign.status).toBe(403);
    expect([...foreign.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a foreign request', () => {
  test.for([
    ['host', { host: 'evil.example' }],
    ['origin', { origin: 'https://evil.example' }],
  ] as const)('with such a %s is refused before its body is read', async ([, headers]) => {
    const { port } = await serve(echoing);
    const connection = await RawConnection.open(port);
    connection.send(requestBytes({ headers: { ...HUGE, ...headers } }));
    expect((await connection.response()).status).toBe(403);
  });

  test('is refused before anybody is asked who it is', async () => {
    let asked = 0;
    const { port } = await serve(echoing, {
      authenticate: () => {
        asked++;
        return undefined;
      },
    });
    expect((await exchange(port, listTools({ origin: 'https://evil.example' }))).status).toBe(403);
    expect(asked).toBe(0);
  });

  // covers: 2025-06-18/transports/http-origin-is-validated
  // covers: 2026-07-28/streamable-http/origin-is-validated
  test('is refused by GET and DELETE, too', async () => {
    const { port } = await serve(echoing);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const headers = { origin: 'https://evil.example', accept: 'text/event-stream' };
      expect((await exchange(port, { method, headers })).status).toBe(403);
    }
  });

  test('is refused by a handler in the server of somebody else', async () => {
    const server = new Server({ name: 'faults', version: '1.0.0' });
    echoing(server);
    const handler = nodeHandler(server);
    const http = createServer(handler).listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await new Promise(resolve => http.once('listening', resolve));
    const { port } = http.address() as AddressInfo;
    expect((await exchange(port, listTools({ host: 'evil.example' }))).status).toBe(403);
    expect((await exchange(port, listTools({}))).status).toBe(200);
  });
});

test('a request that expects 100-continue is refused without being told to go on forever', async () => {
  const { port } = await serve(echoing);
  const sent = httpRequest({
    port,
    path: '/mcp',
    method: 'POST',
    headers: { ...POST_HEADERS, 'content-length': 1e9, expect: '100-continue' },
  });
  sent.on('error', () => {});
  sent.flushHeaders();
  const status = await new Promise(resolve =>
    sent.once('response', response => resolve(response.statusCode)),
  );
  expect(status).toBe(413);
  sent.destroy();
});
