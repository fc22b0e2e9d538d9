import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientAuth } from '../../../src/client/auth/index.js';
import { memoryCache } from '../../../src/client/index.js';
import { bearer, signIn } from '../../../src/node/client/auth/index.js';
import type { Client, connect } from '../../../src/node/client/index.js';
import { listen } from '../../../src/node/index.js';
import { Server } from '../../../src/server/index.js';
import { connected, serveRaw } from '../../client-faults/connected.js';
import { modern, type RawServer } from '../../client-faults/raw-server.js';
import { startIdentityProvider } from './identity-provider.js';
import { open, protectFiles } from './protected-files.js';
import { User } from './user.js';

type Options = NonNullable<Parameters<typeof connect>[1]>;

/** A server that shows callers their own credentials, and lets them keep what they read. */
function serveMirror(cacheScope = 'private'): Promise<RawServer> {
  return serveRaw(
    modern({
      'resources/read': ask => {
        const { authorization = 'nobody', 'x-api-key': key = '' } = ask.request.headers;
        const contents = [{ uri: ask.message.params.uri, text: `${authorization}${key}` }];
        ask.result({ contents, ttlMs: 60_000, cacheScope });
      },
    }),
  );
}

async function read(client: Client, options?: object): Promise<string> {
  const { contents } = await client.readResource('me://name', options);
  return (contents[0] as { text: string }).text;
}

describe('a private result', () => {
  // covers: 2026-07-28/caching/private-is-not-shared
  it('is not shown to the user of another token of the same client', async () => {
    const server = await serveMirror();
    let token = 'ada';
    const client = await connected(server.url, { auth: bearer(() => token) });
    expect(await read(client)).toBe('Bearer ada');
    token = 'grace';
    expect(await read(client)).toBe('Bearer grace');
    token = 'ada';
    expect(await read(client)).toBe('Bearer ada');
    expect(server.of('resources/read')).toHaveLength(2);
  });

  it('is not kept if the token changed while it was on its way', async () => {
    let token = 'ada';
    const server = await serveRaw(
      modern({
        'resources/read': ask => {
          token = 'grace';
          const contents = [{ uri: 'me://name', text: ask.request.headers.authorization }];
          ask.result({ contents, ttlMs: 60_000, cacheScope: 'private' });
        },
      }),
    );
    const client = await connected(server.url, { auth: bearer(() => token) });
    expect(await read(client)).toBe('Bearer ada');
    expect(await read(client)).toBe('Bearer grace');
  });

  // covers: 2026-07-28/caching/private-is-not-shared
  it('is not shown to the next user who signs in', async () => {
    const provider = await startIdentityProvider();
    const files = new Server({ name: 'files', version: '1.0.0' });
    const cacheHint = { ttlMs: 60_000, cacheScope: 'private' } as const;
    files.resource('me://name', { name: 'me', cacheHint }, (_, { caller }) => String(caller?.subject));
    const { url, close } = await listen(files, { port: 0, auth: protectFiles(provider) });
    onTestFinished(() => close(0));
    const users = [new User('ada'), new User('grace')];
    let user = users[0]!;
    const auth = signIn({ redirect: { prepare: () => user.prepare() } });
    const client = await open(url, { auth });
    expect(await read(client)).toBe('ada');
    await auth.signOut(url);
    user = users[1]!;
    expect(await read(client)).toBe('grace');
  });

  it('is not shown to another user of the same store', async () => {
    const server = await serveMirror();
    const shared: Options = { cache: memoryCache(), cachePartition: 'the same' };
    const ada = await connected(server.url, { ...shared, auth: bearer('ada') });
    const grace = await connected(server.url, { ...shared, auth: bearer('grace') });
    expect(await read(ada)).toBe('Bearer ada');
    expect(await read(grace)).toBe('Bearer grace');
    const more = await connected(server.url, { ...shared, auth: bearer('ada') });
    expect(await read(more)).toBe('Bearer ada');
    expect(server.of('resources/read')).toHaveLength(2);
  });

  it.each(['authorization', 'X-Api-Key'])('is not shown to a client with another %s', async name => {
    const server = await serveMirror();
    const shared: Options = { cache: memoryCache(), cachePartition: 'the same' };
    const ada = await connected(server.url, { ...shared, headers: { [name]: 'ada' } });
    const grace = await connected(server.url, { ...shared, headers: { [name]: 'grace' } });
    expect(await read(ada)).toContain('ada');
    expect(await read(grace)).toContain('grace');
  });

  it('is not shown to a request with headers of its own', async () => {
    const server = await serveMirror();
    const client = await connected(server.url);
    expect(await read(client, { headers: { authorization: 'ada' } })).toBe('ada');
    expect(await read(client, { headers: { authorization: 'grace' } })).toBe('grace');
    expect(await read(client)).toBe('nobody');
  });

  it('is not kept for an `auth` that does not identify its credentials', async () => {
    const server = await serveMirror();
    const auth: ClientAuth = {
      authorizer: () => ({
        begin: () => ({
          headers: () => ({ authorization: 'Bearer ada' }),
          heard() {},
          refused: () => false,
        }),
      }),
    };
    const client = await connected(server.url, { auth });
    await read(client);
    await read(client);
    expect(server.of('resources/read')).toHaveLength(2);
  });

  it('is kept in the store without the token', async () => {
    const server = await serveMirror();
    const keys: string[] = [];
    const store = memoryCache();
    const cache = {
      get: store.get,
      set: (key: string, entry: never) => {
        keys.push(key);
        return store.set(key, entry);
      },
    };
    await read(await connected(server.url, { cache, auth: bearer('ada') }));
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toContain('ada');
  });
});

it('a public result is shown to everybody', async () => {
  const server = await serveMirror('public');
  let token = 'ada';
  const client = await connected(server.url, { auth: bearer(() => token) });
  await read(client);
  token = 'grace';
  await read(client);
  expect(server.of('resources/read')).toHaveLength(1);
});
