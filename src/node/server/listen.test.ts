import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Server } from '../../server/server.js';
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
  // covers: 2026-07-28/streamable-http/local-servers-bind-to-localhost
  // covers: 2026-07-28/streamable-http/one-endpoint
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

  test('tells when it has closed', async () => {
    const { url, closed, close } = await open();
    let hasClosed = false;
    void closed.then(() => {
      hasClosed = true;
    });
    expect(await discovers(url)).toBe(200);
    expect(hasClosed).toBe(false);
    await close();
    await closed;
    await expect(fetch(url)).rejects.toThrow();
  });

  test('frees the port when it closes', async () => {
    const { port, close } = await open();
    await close();
    const again = await open({ port });
    expect(again.port).toBe(port);
  });
});

describe('connections', () => {
  /** A connection that stays open, for requests as text. */
  async function dial(port: number) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    onTestFinished(() => void socket.destroy());
    const answer = async () => String((await once(socket, 'data'))[0]);
    const send = (text: string) => {
      socket.write(text);
      return answer();
    };
    return { socket, closed: once(socket, 'close'), answer, send };
  }

  function textOf(method: string, params: object, more: Record<string, string> = {}): string {
    const { _meta } = JSON.parse(discover).params;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    const all = {
      host: 'localhost',
      ...headers,
      'mcp-method': method,
      ...more,
      'content-length': body.length,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  }

  const asking = textOf('server/discover', {});
  const calling = (name: string, args: object = {}) =>
    textOf('tools/call', { name, arguments: args }, { 'mcp-name': name });

  async function openWith(add: (server: Server) => void, idleConnectionMs = 200) {
    const server = greeter();
    add(server);
    const listening = await listen(server, { port: 0, idleConnectionMs });
    onTestFinished(() => listening.close(0));
    return listening;
  }

  test('close when nobody has used them for a while, and never while a call is under way', async () => {
    let release = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    const { port } = await openWith(server => server.tool('wait', {}, () => released.then(() => 'waited')));
    const [busy, used, idle] = [await dial(port), await dial(port), await dial(port)];

    const waiting = busy.send(calling('wait'));
    let isClosed = false;
    void idle.closed.then(() => {
      isClosed = true;
    });
    expect(await idle.send(asking)).toContain('200 OK');
    while (!isClosed) expect(await used.send(asking)).toContain('200 OK');
    release();
    expect(await waiting).toContain('waited');
    await Promise.all([busy.closed, used.closed]);
  });

  test('stay open for a request that came while the process stood still', async () => {
    const { port } = await openWith(() => {});
    const { send } = await dial(port);
    expect(await send(asking)).toContain('200 OK');
    await new Promise(resolve => setTimeout(resolve, 50));
    // Timers come next, before anything is read.
    await new Promise(resolve => setImmediate(resolve));
    const answer = send(asking);
    const wakes = performance.now() + 500;
    while (performance.now() < wakes);
    expect(await answer).toContain('200 OK');
  });

  test('stay open while a request comes, however slowly', async () => {
    const { port } = await openWith(() => {});
    const [slow, idle] = [await dial(port), await dial(port)];
    expect(await slow.send(asking)).toContain('200 OK');
    expect(await idle.send(asking)).toContain('200 OK');
    let isClosed = false;
    void idle.closed.then(() => {
      isClosed = true;
    });
    const answer = slow.answer();
    let sent = 0;
    while (!isClosed || sent < 50) {
      slow.socket.write(asking[sent++] as string);
      await new Promise(resolve => setTimeout(resolve, 2));
    }
    slow.socket.write(asking.slice(sent));
    expect(await answer).toContain('200 OK');
  });

  test('close after what node answers by itself, too', async () => {
    const { port } = await openWith(() => {});
    const { send, closed } = await dial(port);
    expect(await send('GET /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: wonders\r\n\r\n')).toContain('417');
    await closed;
  });

  test('keep nothing of a request that was answered', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    let args: WeakRef<object> | undefined;
    const input = { type: 'object' } as const;
    const { port } = await openWith(server => {
      server.tool('take', { input }, async taken => {
        args = new WeakRef(taken);
        await new Promise(resolve => setImmediate(resolve));
        return 'taken';
      });
    }, 60_000);
    const { send } = await dial(port);
    expect(await send(calling('take', { message: 'hello' }))).toContain('taken');
    expect(args).toBeDefined();
    await vi.waitUntil(() => {
      collectGarbage();
      return args?.deref() === undefined;
    }, 60_000);
  });

  test('are not announced to close sooner than they do', async () => {
    const { port } = await open();
    const { send } = await dial(port);
    expect(await send(asking)).not.toMatch(/^keep-alive:/im);
  });

  test.each([0, -1, Number.NaN])('do not stay open for %d milliseconds', async idleConnectionMs => {
    await expect(listen(greeter(), { port: 0, idleConnectionMs })).rejects.toThrow(
      `idleConnectionMs must be a positive number, not ${idleConnectionMs}`,
    );
  });
});
