import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectOptions } from '../../src/client/index.js';
import { signIn } from '../../src/node/client/auth/index.js';
import { type Client, connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { introspection, jwt } from '../../src/server/auth/index.js';
import { inputRequired, Server } from '../../src/server/index.js';
import { parseTemplate } from '../../src/vocabulary/index.js';

// Errors of the platform that a user could otherwise get as they are.

async function connected(options?: ConnectOptions): Promise<Client> {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('wait', {}, () => new Promise<string>(() => {}));
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  const { url, close } = await listen(server, { port: 0 });
  onTestFinished(() => close(0));
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

describe('a value that JSON cannot carry', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  it.each([
    ['refers to itself', circular],
    ['is a bigint', { guests: 2n }],
    [
      'throws when it is read',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
  ])('is refused before anything is sent: it %s', async (_, value) => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const client = await connected({ revision });
      await expect(client.callTool('wait', value)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(/^the parameters of tools\/call cannot be written as JSON: ./),
        cause: expect.any(Error),
      });
    }
    expect(() => inputRequired({ state: value })).toThrow(expect.objectContaining({ kind: 'usage' }));
  });
});

describe('a signal that aborts', () => {
  it.each<[string, () => AbortSignal, RegExp]>([
    ['before', () => AbortSignal.abort(), /aborted/],
    ['before, with a word', () => AbortSignal.abort('enough'), /enough/],
    ['by time', () => AbortSignal.timeout(30), /timeout/],
  ])('ends a request with its reason as the cause: %s', async (_, newSignal, message) => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const client = await connected({ revision });
      const signal = newSignal();
      const error = await client.callTool('wait', {}, { signal }).catch(error => error);
      expect(error).toMatchObject({ kind: 'cancelled', message: expect.stringMatching(message) });
      expect(error.cause).toBe(signal.reason);
    }
  });

  it('ends a request with the error that it was aborted with, if that is one of the author', async () => {
    const client = await connected();
    const reason = new Error('enough');
    const outcome = client.callTool('wait', {}, { signal: AbortSignal.abort(reason) });
    await expect(outcome).rejects.toBe(reason);
  });

  it('ends a question, too', async () => {
    const controller = new AbortController();
    const client = await connected({
      roots: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    const error = await client.callTool('ask', {}, { signal: controller.signal }).catch(error => error);
    expect(error).toMatchObject({ kind: 'cancelled', cause: { name: 'AbortError' } });
  });
});

describe('a request without an answer', () => {
  const SENDERS: [string, ConnectOptions][] = [
    ['node:http', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ];

  it.each(SENDERS)(
    'is said not to have reached the server if nobody listens, with %s',
    async (_, options) => {
      const { client, http } = await connectedToRaw(options);
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
      await expect(client.callTool('wait')).rejects.toMatchObject({
        kind: 'connection',
        message: expect.stringMatching(/^the request did not reach the server: .*ECONNREFUSED/),
      });
    },
  );

  it.each(SENDERS)('may have reached the server if the connection breaks, with %s', async (_, options) => {
    const { client } = await connectedToRaw(options);
    await expect(client.callTool('wait')).rejects.toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(
        /^no answer came, and it is not known whether the request reached the server: ./,
      ),
    });
  });
});

/** A client of a server that hangs up when a tool is called. */
async function connectedToRaw(options: ConnectOptions): Promise<{ client: Client; http: HttpServer }> {
  const http = createServer((request, response) => {
    if (request.headers['mcp-method'] === 'tools/call') return request.socket.destroy();
    const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' };
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }));
    });
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const client = await connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, options);
  onTestFinished(() => client.close());
  return { client, http };
}

describe('what is no URL, header or template', () => {
  it.each<[string, () => unknown]>([
    ['connect', () => connect('bistro')],
    [
      'a header with a line break',
      () => connect('http://127.0.0.1:9/mcp', { headers: { 'x-table': 'a\r\nb: c' } }),
    ],
    ['a header name with a space', () => connect('http://127.0.0.1:9/mcp', { headers: { 'x table': '7' } })],
    ['finish', () => signIn({ redirect: { uri: 'https://app.example/' } }).finish('nowhere')],
    ['signOut', () => signIn({ redirect: { uri: 'https://app.example/' } }).signOut('nowhere')],
    ['jwt', () => jwt({ issuer: 'login' })],
    ['jwksUri', () => jwt({ issuer: 'https://login.example.com', jwksUri: 'keys' })],
    ['introspection', () => introspection({ endpoint: 'login', clientId: 'a', clientSecret: 'b' })],
    ['parseTemplate', () => parseTemplate('menu://{')],
    ['server.resource', () => new Server({ name: 'a', version: '1' }).resource('menu://{', {}, () => 'soup')],
  ])('is a mistake of the author, and is called so: %s', async (_, make) => {
    await expect((async () => make())()).rejects.toMatchObject({ kind: 'usage' });
  });
});
