import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Server } from '../server/server.js';
import { type ListenOptions, listen } from './listen.js';

function greeter(): Server {
  const server = new Server({ name: 'greeter', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  return server;
}

async function open(options: ListenOptions = {}) {
  const listening = await listen(greeter(), { port: 0, ...options });
  onTestFinished(() => listening.close(0));
  return listening;
}

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'server/discover',
};
const discover = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

async function discovers(url: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body: discover });
  await response.text();
  return response.status;
}

describe('listen', () => {
  test('serves on loopback at /mcp and tells the URL', async () => {
    const { url, port } = await open();
    expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
    expect(port).toBeGreaterThan(0);
    expect(await discovers(url)).toBe(200);
  });

  test('serves on an IPv6 address', async () => {
    const { url } = await open({ host: '::1' });
    expect(url).toMatch(/^http:\/\/\[::1]:\d+\/mcp$/);
    expect(await discovers(url)).toBe(200);
  });

  test('serves on a name', async () => {
    const { url } = await open({ host: 'localhost' });
    expect(await discovers(url)).toBe(200);
  });

  test('serves at another path, with or without a query', async () => {
    const { url } = await open({ path: '/api/tools' });
    expect(new URL(url).pathname).toBe('/api/tools');
    expect(await discovers(url)).toBe(200);
    expect(await discovers(`${url}?tenant=1`)).toBe(200);
    expect(await discovers(new URL('/mcp', url).href)).toBe(404);
  });

  test.for(['/', '/mcp/', '/mcpx', '/MCP', '/mcp/../mcp2', '/sse', '/messages'])(
    'answers 404 at %s, and says where to go',
    async path => {
      const { url } = await open();
      const response = await fetch(new URL(path, url), { method: 'POST', headers, body: discover });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('/mcp');
    },
  );

  test('says which port is taken and what to do about it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const problem = await listen(greeter(), { port }).catch((error: Error) => error);
    expect(problem).toBeInstanceOf(Error);
    expect((problem as Error).message).toContain(`127.0.0.1:${port}`);
    expect((problem as Error).message).toMatch(/port is taken.*another port/);
    expect((problem as Error).cause).toMatchObject({ code: 'EADDRINUSE' });
  });

  test('says why else it cannot listen', async () => {
    await expect(listen(greeter(), { port: 0, host: '192.0.2.1' })).rejects.toThrow(
      /cannot listen on 192\.0\.2\.1:0: .+/,
    );
  });

  test('leaves nothing behind when it cannot listen', async () => {
    const server = greeter();
    let watchers = 0;
    const watch = server.watch.bind(server);
    server.watch = listener => {
      watchers++;
      const stop = watch(listener);
      return () => {
        watchers--;
        stop();
      };
    };
    await expect(listen(server, { port: 0, host: '192.0.2.1' })).rejects.toThrow();
    expect(watchers).toBe(0);
  });

  test('frees the port when it closes', async () => {
    const { port, close } = await open();
    await close();
    const again = await open({ port });
    expect(again.port).toBe(port);
  });
});

describe('connections', () => {
  /** A connection that stays open, with what comes back on it. */
  async function dial(port: number) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    onTestFinished(() => void socket.destroy());
    const send = async (body: string, method: string) => {
      const lines = Object.entries({ ...headers, 'mcp-method': method, 'content-length': body.length });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\n${head}\r\n${body}`);
      const [chunk] = await once(socket, 'data');
      return String(chunk);
    };
    return { socket, closed: once(socket, 'close'), send };
  }

  const call = discover
    .replace('"params":{', '"params":{"name":"wait",')
    .replace('server/discover', 'tools/call');

  test('close when nobody has used them for a while, and never while a call is under way', async () => {
    const server = greeter();
    let release = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    server.tool('wait', {}, () => released.then(() => 'waited'));
    const { port, close } = await listen(server, { port: 0, idleConnectionMs: 50 });
    onTestFinished(() => close(0));
    const [busy, used, idle] = [await dial(port), await dial(port), await dial(port)];

    const waiting = busy.send(
      call.replace('"_meta"', '"arguments":{},"_meta"'),
      'tools/call\r\nmcp-name: wait',
    );
    let isClosed = false;
    void idle.closed.then(() => {
      isClosed = true;
    });
    expect(await idle.send(discover, 'server/discover')).toContain('200 OK');
    while (!isClosed) expect(await used.send(discover, 'server/discover')).toContain('200 OK');
    release();
    expect(await waiting).toContain('waited');
    await Promise.all([busy.closed, used.closed]);
  });

  test('are not announced to close sooner than they do', async () => {
    const { port } = await open();
    const { send } = await dial(port);
    expect(await send(discover, 'server/discover')).not.toMatch(/^keep-alive:/im);
  });

  test.each([0, -1, Number.NaN])('do not stay open for %d milliseconds', async idleConnectionMs => {
    await expect(listen(greeter(), { port: 0, idleConnectionMs })).rejects.toThrow(
      `idleConnectionMs must be a positive number, not ${idleConnectionMs}`,
    );
  });
});
