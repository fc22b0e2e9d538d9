import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../../src/client/auth/index.js';
import { signIn } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { SERVER_DOCUMENT, World } from './attacks/world.js';

async function start(): Promise<World> {
  const world = await new World().start();
  onTestFinished(() => world.stop());
  return world;
}

/** Connects, asks for something, and leaves. */
async function visit(world: World, auth = signIn(world.signInOptions)): Promise<void> {
  const client = await connect(world.serverUrl, { auth, cache: false });
  await client.listTools();
  await client.close();
}

const registrations = ({ as }: World) =>
  as.received.filter(({ path }) => path === '/register').map(({ body }) => JSON.parse(body));

describe('a client that registers', () => {
  // covers: 2026-07-28/authorization/refresh-grant-is-registered
  // covers: 2026-07-28/client-registration/application-type
  // covers: 2026-07-28/client-registration/native-applications
  it('is a native application if its users come back to this machine', async () => {
    const world = await start();
    await visit(world);
    expect(registrations(world)).toMatchObject([
      { application_type: 'native', grant_types: expect.arrayContaining(['refresh_token']) },
    ]);
  });

  // covers: 2026-07-28/client-registration/application-type
  // covers: 2026-07-28/client-registration/web-applications
  it('is a web application if its users come back to a host of its own', async () => {
    const world = await start();
    const uri = 'https://app.example/callback';
    await expect(visit(world, signIn({ store: world.store, redirect: { uri } }))).rejects.toThrow();
    expect(registrations(world)).toMatchObject([{ application_type: 'web', redirect_uris: [uri] }]);
  });

  // covers: 2026-07-28/client-registration/registration-failure-is-told
  // covers: 2026-07-28/client-registration/registration-may-fail
  it('says why the authorization server refuses that', async () => {
    const world = await start();
    const body = { error: 'invalid_redirect_uri', error_description: 'only https here' };
    world.as.routes.set('POST /register', () => ({ status: 400, body }));
    await expect(visit(world)).rejects.toMatchObject({
      problem: 'registration',
      message: expect.stringContaining('only https here'),
    });
  });
});

describe('a client whose registration was changed', () => {
  it('does not sign in with a redirect URI that was not registered', async () => {
    const world = await start();
    const body = { client_id: 'changed', redirect_uris: ['https://elsewhere.example/callback'] };
    world.as.routes.set('POST /register', () => ({ status: 201, body }));
    await expect(visit(world)).rejects.toMatchObject({
      problem: 'registration',
      message: expect.stringContaining('https://elsewhere.example/callback'),
    });
    expect(world.visits).toEqual([]);
  });

  it('signs in if its redirect URI is among those that were registered', async () => {
    const world = await start();
    const redirect_uris = ['https://elsewhere.example/callback', 'http://127.0.0.1:9/callback'];
    world.as.routes.set('POST /register', () => ({
      status: 201,
      body: { client_id: 'more', redirect_uris },
    }));
    await visit(world);
    expect(world.visits).toHaveLength(1);
  });
});

describe('a client', () => {
  // covers: 2025-11-25/authorization/client-id-is-https-with-a-path
  // covers: 2026-07-28/client-registration/client-id-is-https-with-a-path
  it.each([
    'http://filer.example/client.json',
    'https://filer.example',
    'https://filer.example/',
    'filer',
    'https://filer.example/client.json#f',
    'https://ada:secret@filer.example/client.json',
    'https://filer.example/a/../client.json',
    'https://filer.example/a/%2E/client.json',
    'https://filer.example/a/..',
  ])('cannot have the id %s, which no metadata document is at', clientMetadataUrl => {
    expect(() => signIn({ redirect: { uri: 'https://app.example/cb' }, clientMetadataUrl })).toThrow(
      UsageError,
    );
  });

  // covers: 2025-11-25/authorization/client-reads-both-kinds-of-metadata
  // covers: 2025-11-25/authorization/no-pkce-in-openid-metadata
  // covers: 2026-07-28/authorization-security/no-pkce-in-openid-metadata
  // covers: 2026-07-28/authorization/client-reads-both-kinds-of-metadata
  it('refuses an OpenID provider that does not say that it has PKCE', async () => {
    const world = await start();
    world.as.routes.delete(`GET ${SERVER_DOCUMENT}`);
    world.as.routes.set('GET /.well-known/openid-configuration', () => ({ body: world.metadata }));
    await visit(world);
    expect(world.visits).toHaveLength(1);
    const other = await start();
    other.as.routes.delete(`GET ${SERVER_DOCUMENT}`);
    const { code_challenge_methods_supported: _, ...metadata } = other.metadata;
    other.as.routes.set('GET /.well-known/openid-configuration', () => ({ body: metadata }));
    await expect(visit(other)).rejects.toMatchObject({ problem: 'pkce' });
    expect(other.visits).toEqual([]);
  });

  // covers: 2026-07-28/authorization/refresh-tokens-are-not-assumed
  it('gets along without a refresh token', async () => {
    const world = await start();
    world.give = tokens => {
      delete tokens.refresh_token;
    };
    const auth = signIn(world.signInOptions);
    await visit(world, auth);
    await visit(world, auth);
    expect(world.visits).toHaveLength(1);
    expect(world.as.received.filter(({ path }) => path === '/token')).toHaveLength(1);
  });

  // covers: 2026-07-28/authorization/resource-in-both-requests
  // covers: 2026-07-28/authorization/resource-is-always-sent
  it('names the server in every request for tokens, whether or not that is supported', async () => {
    const world = await start();
    await visit(world);
    expect(world.visits.map(page => page.searchParams.get('resource'))).toEqual([world.serverUrl]);
    const tokens = world.as.received.filter(({ path }) => path === '/token');
    expect(tokens.map(({ form }) => form.get('resource'))).toEqual([world.serverUrl]);
  });

  // covers: 2026-07-28/authorization/no-token-in-the-url, 2026-07-28/authorization/token-in-the-header
  // covers: 2026-07-28/authorization/token-with-every-request
  it('sends its token in the header of every request, and nowhere else', async () => {
    const world = await start();
    await visit(world);
    const sent = world.mcp.received.filter(({ headers }) => headers.authorization !== undefined);
    expect(sent.length).toBeGreaterThan(0);
    const [token] = sent.map(({ headers }) => headers.authorization!.replace('Bearer ', ''));
    const first = world.mcp.received.indexOf(sent[0]!);
    for (const { path, headers, body } of world.mcp.received.slice(first)) {
      expect(headers.authorization).toBe(`Bearer ${token}`);
      expect(path + body).not.toContain(token);
    }
  });
});
