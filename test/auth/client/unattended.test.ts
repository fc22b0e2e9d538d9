import { beforeEach, describe, expect, test } from 'vitest';
import type { Redirect } from '../../../src/client/auth/redirect.js';
import { signIn } from '../../../src/node/client/auth/index.js';
import { connected, serveRaw } from '../../client-faults/connected.js';
import { type Answer, type Ask, legacy } from '../../client-faults/raw-server.js';
import { failOnUnhandled } from '../../faults/unhandled.js';
import { passSeconds } from './protected-files.js';

failOnUnhandled();

const ISSUER = 'https://login.example.com';

/** An authorization server, a server that accepts its tokens, and a user with a browser. */
class World {
  /** The tokens that the server accepts. */
  readonly valid = new Set<string>();
  visits = 0;
  /** Called when a page opens, which then stays open until it is given up. */
  onVisit: (() => void) | undefined;
  /** Called when the client reads the metadata of the server. */
  onMetadata: (() => void) | undefined;
  refreshToken: string | undefined;
  #tokens = 0;
  #url = '';

  async connect(answers: Record<string, Answer>) {
    const welcome = legacy(answers);
    const server = await serveRaw(ask => {
      const token = ask.request.headers.authorization?.replace('Bearer ', '') ?? '';
      if (this.valid.has(token)) welcome(ask);
      else ask.send(401, '', { 'www-authenticate': 'Bearer' });
    });
    this.#url = server.url;
    const auth = signIn({ redirect: this.#redirect, fetch: async input => this.#authorize(String(input)) });
    const client = await connected(server.url, { auth, revision: '2025-06-18' });
    return { client, server };
  }

  /** Nothing that was given so far is accepted any more. */
  revoke(): void {
    this.valid.clear();
  }

  readonly #redirect: Redirect = {
    prepare: () => ({
      uri: 'http://127.0.0.1:9/callback',
      visit: (url, signal) => {
        this.visits++;
        const state = url.searchParams.get('state');
        if (!this.onVisit)
          return Promise.resolve(new URL(`http://127.0.0.1:9/callback?code=c&state=${state}`));
        const given = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        this.onVisit();
        return given;
      },
      close() {},
    }),
  };

  #authorize(url: string): Response {
    if (url.includes('protected-resource')) {
      this.onMetadata?.();
      return Response.json({ resource: this.#url, authorization_servers: [ISSUER] });
    }
    if (url.endsWith('/register')) return Response.json({ client_id: 'kitchen' }, { status: 201 });
    if (url.endsWith('/token')) return this.#giveToken();
    return Response.json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      code_challenge_methods_supported: ['S256'],
    });
  }

  #giveToken(): Response {
    const token = `token-${++this.#tokens}`;
    if (token !== 'token-1' && this.refreshToken === 'revoked')
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.valid.add(token);
    const refresh = this.refreshToken === undefined ? {} : { refresh_token: this.refreshToken };
    return Response.json({ access_token: token, token_type: 'Bearer', expires_in: 3600, ...refresh });
  }
}

let world: World;

beforeEach(() => {
  world = new World();
});

describe('no page to sign in at is opened', () => {
  test('for the cancellation of a call whose user was signing in, which is not sent', async () => {
    const { client, server } = await world.connect({ 'tools/call': ask => ask.text('done') });
    world.revoke();
    const user = new AbortController();
    world.onVisit = () => user.abort('enough');
    await expect(client.callTool('x', {}, { signal: user.signal })).rejects.toThrow('enough');
    await client.close();
    expect(world.visits).toBe(2);
    expect(server.of('notifications/cancelled')).toEqual([]);
  });

  test('for the cancellation of a running call', async () => {
    let refused = () => {};
    const cancelled = new Promise<void>(resolve => {
      refused = resolve;
    });
    const user = new AbortController();
    const { client, server } = await world.connect({
      'tools/call': (ask: Ask) => {
        ask.stream();
        world.revoke();
        user.abort('enough');
      },
    });
    const { asks } = server;
    const push = asks.push.bind(asks);
    asks.push = ask => {
      if (ask.method === 'notifications/cancelled') void ask.gone.then(refused);
      return push(ask);
    };
    await expect(client.callTool('x', {}, { signal: user.signal })).rejects.toThrow('enough');
    await cancelled;
    await client.close();
    expect(server.of('notifications/cancelled')).toHaveLength(1);
    expect(world.visits).toBe(1);
  });

  test('to end a session whose token was revoked', async () => {
    const { client, server } = await world.connect({});
    world.revoke();
    await client.close();
    expect(server.of('DELETE')).toHaveLength(1);
    expect(world.visits).toBe(1);
  });

  test('to end a session whose tokens have expired and cannot be refreshed', async () => {
    world.refreshToken = 'revoked';
    const { client, server } = await world.connect({});
    passSeconds(7200);
    await client.close();
    expect(server.of('DELETE')).toHaveLength(1);
    expect(world.visits).toBe(1);
  });

  test('for a call that was given up while metadata was read, and one is for the next call', async () => {
    const { client } = await world.connect({ 'tools/call': ask => ask.text('done') });
    world.revoke();
    const user = new AbortController();
    world.onMetadata = () => user.abort('enough');
    await expect(client.callTool('x', {}, { signal: user.signal })).rejects.toThrow('enough');
    world.onMetadata = undefined;
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(world.visits).toBe(2);
  });
});

test('a session is ended with tokens that are refreshed for it', async () => {
  world.refreshToken = 'good';
  let isEnded = false;
  const { client } = await world.connect({
    DELETE: ask => {
      isEnded = true;
      ask.send(200);
    },
  });
  world.revoke();
  passSeconds(7200);
  await client.close();
  expect(isEnded).toBe(true);
  expect(world.visits).toBe(1);
});
