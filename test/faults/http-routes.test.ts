import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { EventStream, legacy, MODERN, modern, openSession } from './messages.js';
import { exchange } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

let served: RunningHttpServer;
beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  served = await listen(server, { port: 0, keys: freshKeys() });
  return () => served.close(0);
});

describe('a method of HTTP', () => {
  test.for(['PUT', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND'])('%s is refused with 405', async method => {
    const response = await exchange(served.port, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, GET, DELETE');
  });

  test.for(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is refused with 405 on the modern era', async method => {
    const headers = { 'mcp-protocol-version': MODERN, accept: 'text/event-stream' };
    const response = await exchange(served.port, { method, headers });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('may come with a whole URL, whose host counts instead of the header', async () => {
    const request = modern('tools/call', { name: 'echo', arguments: { value: 1 } });
    const send = (path: string) => exchange(served.port, { ...request, path });
    expect((await send(`http://localhost:${served.port}/mcp`)).status).toBe(200);
    expect((await send(`HTTP://localhost/mcp?a=http://b`)).status).toBe(200);
    expect((await send('http://evil.example/mcp')).status).toBe(403);
    expect((await send('http://localhost@evil.example/mcp')).status).toBe(404);
    expect((await send('http://localhost/other')).status).toBe(404);
    expect((await send('http://localhost')).status).toBe(404);
  });

  test('GET needs a session', async () => {
    const headers = { accept: 'text/event-stream' };
    expect((await exchange(served.port, { method: 'GET', headers })).status).toBe(400);
    const unknown = { ...headers, 'mcp-session-id': 'nope' };
    expect((await exchange(served.port, { method: 'GET', headers: unknown })).status).toBe(404);
  });

  test('GET needs somebody who reads events', async () => {
    const headers = { 'mcp-session-id': await openSession(served.port), accept: 'application/json' };
    expect((await exchange(served.port, { method: 'GET', headers })).status).toBe(406);
  });

  test('DELETE needs a session, and ends it once', async () => {
    expect((await exchange(served.port, { method: 'DELETE' })).status).toBe(400);
    const headers = { 'mcp-session-id': await openSession(served.port) };
    expect((await exchange(served.port, { method: 'DELETE', headers })).status).toBe(204);
    expect((await exchange(served.port, { method: 'DELETE', headers })).status).toBe(404);
    const call = legacy(headers['mcp-session-id'], 'ping');
    expect((await exchange(served.port, call)).status).toBe(404);
  });

  test('DELETE ends the streams and the calls of the session', async () => {
    const started = signalled();
    const aborted = signalled<unknown>();
    const { port } = await serve(server => {
      server.tool('wait', {}, async (_, { signal }) => {
        started.resolve();
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
        aborted.resolve(signal.reason);
      });
    });
    const session = await openSession(port);
    const headers = { 'mcp-session-id': session };
    const stream = await EventStream.open(port, {
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const call = exchange(port, legacy(session, 'tools/call', { name: 'wait' }));
    await started.promise;
    await exchange(port, { method: 'DELETE', headers });
    expect(await stream.rest()).toEqual([]);
    expect(await aborted.promise).toMatchObject({ name: 'Cancelled' });
    expect((await call).body).toBe('');
  });

  test('on another path finds nothing', async () => {
    for (const path of [
      '/',
      '/mcp/',
      '/mcp/x',
      '//mcp',
      '/MCP',
      '/%6dcp',
      'http://localhost//mcp',
      '/sse',
      '*',
    ]) {
      expect([path, (await exchange(served.port, { ...modern('tools/list'), path })).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await exchange(served.port, { ...modern('tools/list'), path: '/mcp?x=1' })).status).toBe(200);
  });
});

describe('authenticate', () => {
  test('refuses with 401 whatever it throws, and tells nobody why', async () => {
    const thrown = [new Error('secret'), 'secret', null, undefined, { toString: null }, Symbol('secret')];
    let next: unknown;
    const { port } = await serve(echoing, {
      authenticate: () => {
        throw next;
      },
    });
    for (next of thrown) {
      const response = await exchange(port, modern('tools/list'));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.body).not.toContain('secret');
    }
  });
});
