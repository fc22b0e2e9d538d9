import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AccessError } from '../../../src/client/auth/errors.js';
import type { Redirect } from '../../../src/client/auth/redirect.js';
import type { ClientAuth } from '../../../src/client/http/access.js';
import { CannotConnect } from '../../../src/client/index.js';
import { signIn } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { listen, type RunningHttpServer } from '../../../src/node/index.js';
import { AccessUnreachable, ConnectionError } from '../../../src/protocol/failures.js';
import { protect } from '../../../src/server/auth/index.js';
import { Server } from '../../../src/server/index.js';
import { connected, serveRaw } from '../../client-faults/connected.js';
import { legacy } from '../../client-faults/raw-server.js';

let listening: RunningHttpServer | undefined;

afterEach(() => listening?.close(0));

async function startProtected(): Promise<string> {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('greet', {}, (_, ctx) => `hello ${ctx.caller?.subject}`);
  const verify = (token: string) => (token === 'good' ? { subject: 'ada' } : undefined);
  const auth = protect({ authorizationServers: ['https://login.example.com'], verify });
  listening = await listen(server, { port: 0, auth });
  return listening.url;
}

/** What an authorization server answers that nobody signs in at. */
const AUTHORIZATION_SERVER: Readonly<Record<string, object>> = {
  '/.well-known/oauth-authorization-server': {
    issuer: 'https://login.example.com',
    authorization_endpoint: 'https://login.example.com/authorize',
    token_endpoint: 'https://login.example.com/token',
    registration_endpoint: 'https://login.example.com/register',
    code_challenge_methods_supported: ['S256'],
  },
  '/register': { client_id: 'kitchen' },
};

const fetchFromBoth: typeof fetch = async (input, init) => {
  const { hostname, pathname } = new URL(String(input));
  return hostname === '127.0.0.1' ? fetch(input, init) : Response.json(AUTHORIZATION_SERVER[pathname]);
};

/** Somebody who gets a token when `get` resolves, the first time the server refuses. */
function slowly(get: () => Promise<string>): ClientAuth {
  let token: string | undefined;
  return {
    authorizer: () => ({
      begin: () => ({
        headers: () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
        heard() {},
        async refused() {
          token = await get();
          return true;
        },
      }),
    }),
  };
}

describe('a refusal whose body never ends', () => {
  test('keeps nobody from trying again', async () => {
    const target = await startProtected();
    const http = createServer((request, response) => {
      if (request.headers.authorization !== undefined) {
        response.writeHead(307, { location: target }).end();
        return;
      }
      response.writeHead(401, { 'content-type': 'text/plain' });
      response.write('you may not');
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    try {
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
      const auth = slowly(async () => 'good');
      // It gets through to what comes after the refusal.
      await expect(connect(url, { auth })).rejects.toThrow(/redirects/);
    } finally {
      http.closeAllConnections();
      http.close();
    }
  });
});

describe('while somebody gets access', () => {
  test('no time limit runs, so that a server is not taken for an old one', async () => {
    const url = await startProtected();
    const limit = 1000;
    const auth = slowly(() => new Promise(resolve => setTimeout(resolve, limit * 2, 'good')));
    await using client = await connect(url, {
      auth,
      probeTimeoutMs: limit,
      timeoutMs: limit,
      maxTimeoutMs: limit,
    });
    expect(client.revision).toBe('2026-07-28');
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'hello ada' }] });
  });

  test('no time of a call runs that waits for a session to be opened again', async () => {
    const limit = 1000;
    let session = 1;
    let accepted = 'old';
    const server = await serveRaw(ask => {
      if (ask.request.headers.authorization !== `Bearer ${accepted}`) return ask.send(401);
      if (ask.session !== undefined && ask.session !== `s-${session}`) return ask.send(404);
      legacy({ 'tools/call': () => ask.text('done') }, () => `s-${session}`)(ask);
    });
    let token = 'old';
    const auth: ClientAuth = {
      authorizer: () => ({
        begin: () => ({
          headers: () => ({ authorization: `Bearer ${token}` }),
          heard() {},
          async refused() {
            token = await new Promise<string>(resolve => setTimeout(resolve, limit * 2, 'new'));
            return true;
          },
        }),
      }),
    };
    const client = await connected(server.url, { auth, revision: '2025-11-25' });
    const { asks } = server;
    const push = asks.push.bind(asks);
    // The session is lost first, and the token when the client opens another one.
    asks.push = ask => {
      if (ask.method === 'initialize') accepted = 'new';
      return push(ask);
    };
    session = 2;
    const result = await client.callTool('x', {}, { timeoutMs: limit, maxTimeoutMs: limit });
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('closing does not wait for them', async () => {
    const url = await startProtected();
    const controller = new AbortController();
    const auth = slowly(() => {
      controller.abort(new Error('enough'));
      return new Promise(() => {});
    });
    await expect(connect(url, { auth, signal: controller.signal })).rejects.toThrow('enough');
  });

  test('a sign-in ends when the last who waits for it has gone', async () => {
    const url = await startProtected();
    const [visiting, closed] = [new AbortController(), new AbortController()];
    const redirect: Redirect = {
      prepare: () => ({
        uri: 'http://127.0.0.1:9/callback',
        visit: (_, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new AccessError('denied', 'given up')));
            visiting.abort();
          }),
        close: () => closed.abort(),
      }),
    };
    const client = connect(url, {
      auth: signIn({ redirect, fetch: fetchFromBoth }),
      signal: visiting.signal,
    });
    await expect(client).rejects.toThrow();
    await expect.poll(() => closed.signal.aborted).toBe(true);
  });

  test('what they say in the end is what the caller hears, once', async () => {
    const url = await startProtected();
    let asked = 0;
    const auth = slowly(() => {
      asked++;
      return Promise.reject(new AccessError('denied', 'not today'));
    });
    await expect(connect(url, { auth })).rejects.toThrow(new AccessError('denied', 'not today'));
    expect(asked).toBe(1);
  });

  test('trouble on their way is not taken for trouble with the server', async () => {
    const url = await startProtected();
    const auth = slowly(() => Promise.reject(new ConnectionError('no network')));
    const error = await connect(url, { auth }).catch(thrown => thrown);
    expect(error).toBeInstanceOf(CannotConnect);
    expect(error.message).toContain('the authorization server that it names does not answer');
    expect(error.message).toContain('access could not be obtained: no network');
    expect(error.cause).toBeInstanceOf(AccessUnreachable);
  });

  test('trouble on their way at a call is told apart from trouble with the server', async () => {
    const url = await startProtected();
    let token = Promise.resolve('good');
    const auth: ClientAuth = {
      authorizer: () => ({
        begin: () => ({
          headers: async () => ({ authorization: `Bearer ${await token}` }),
          heard() {},
          refused: async () => false,
        }),
      }),
    };
    const client = await connect(url, { auth });
    token = Promise.reject(new ConnectionError('no network'));
    await expect(client.callTool('greet')).rejects.toThrow(AccessUnreachable);
    token = Promise.resolve('good');
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'hello ada' }]);
    await client.close();
  });
});
