import { describe, expect, it, onTestFinished } from 'vitest';
import { signIn } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import type { Party } from './attacks/party.js';
import { RESOURCE_DOCUMENT, SERVER_DOCUMENT, World } from './attacks/world.js';

async function start(): Promise<World> {
  const world = await new World().start();
  onTestFinished(() => world.stop());
  return world;
}

/** Whether a client gets in, after it has asked for something. */
async function getsIn(world: World): Promise<boolean> {
  try {
    const client = await connect(world.serverUrl, { auth: signIn(world.signInOptions), cache: false });
    await client.listTools();
    await client.close();
    return true;
  } catch {
    return false;
  }
}

/** The well-known documents that somebody was asked for, in order. */
const documents = ({ received }: Party) =>
  received.map(({ path }) => path).filter(path => path.includes('/.well-known/'));

describe('a client looks for the metadata of a server', () => {
  // covers: 2025-11-25/authorization/client-supports-both-ways
  // covers: 2026-07-28/authorization-server-discovery/client-reads-challenges
  // covers: 2026-07-28/authorization-server-discovery/client-supports-both-ways
  // covers: 2026-07-28/authorization/client-uses-resource-metadata
  it('where the challenge says that it is', async () => {
    const world = await start();
    world.mcp.routes.delete(`GET ${RESOURCE_DOCUMENT}`);
    world.mcp.routes.set('GET /.well-known/elsewhere', () => ({ body: world.resource }));
    world.challenge = `Bearer resource_metadata="${world.mcp.url}/.well-known/elsewhere"`;
    expect(await getsIn(world)).toBe(true);
    expect(documents(world.mcp)).toEqual(['/.well-known/elsewhere']);
  });

  // covers: 2025-11-25/authorization/client-supports-both-ways
  // covers: 2025-11-25/authorization/client-tries-well-known-uris
  // covers: 2026-07-28/authorization-server-discovery/client-supports-both-ways
  // covers: 2026-07-28/authorization-server-discovery/client-tries-well-known-uris
  it.each([undefined, 'Bearer', 'Bearer scope="mcp"'])(
    'at its path and then at the root if the challenge is %j',
    async challenge => {
      const world = await start();
      world.challenge = challenge;
      world.mcp.routes.delete(`GET ${RESOURCE_DOCUMENT}`);
      world.mcp.routes.set('GET /.well-known/oauth-protected-resource', () => ({ body: world.resource }));
      expect(await getsIn(world)).toBe(true);
      expect(documents(world.mcp)).toEqual([
        '/.well-known/oauth-protected-resource/mcp',
        '/.well-known/oauth-protected-resource',
      ]);
    },
  );
});

describe('a client looks for the metadata of an authorization server', () => {
  const IN_ORDER = [
    '/.well-known/oauth-authorization-server/tenant1',
    '/.well-known/openid-configuration/tenant1',
    '/tenant1/.well-known/openid-configuration',
  ];

  // covers: 2025-11-25/authorization/client-tries-several-endpoints
  // covers: 2025-11-25/authorization/order-with-a-path
  // covers: 2026-07-28/authorization-server-discovery/client-tries-several-endpoints
  // covers: 2026-07-28/authorization-server-discovery/order-with-a-path
  it.each([0, 1, 2])('with a path in three places, and finds it in number %i', async place => {
    const world = await start();
    const issuer = `${world.as.url}/tenant1`;
    world.resource.authorization_servers = [issuer];
    world.metadata.issuer = issuer;
    world.as.routes.delete(`GET ${SERVER_DOCUMENT}`);
    world.as.routes.set(`GET ${IN_ORDER[place]}`, () => ({ body: world.metadata }));
    expect(await getsIn(world)).toBe(true);
    expect(documents(world.as)).toEqual(IN_ORDER.slice(0, place + 1));
  });

  // covers: 2025-11-25/authorization/client-reads-both-kinds-of-metadata
  // covers: 2025-11-25/authorization/order-without-a-path
  // covers: 2026-07-28/authorization-server-discovery/order-without-a-path
  // covers: 2026-07-28/authorization/client-reads-both-kinds-of-metadata
  it('without a path in two places', async () => {
    const world = await start();
    world.as.routes.delete(`GET ${SERVER_DOCUMENT}`);
    world.as.routes.set('GET /.well-known/openid-configuration', () => ({ body: world.metadata }));
    expect(await getsIn(world)).toBe(true);
    expect(documents(world.as)).toEqual([SERVER_DOCUMENT, '/.well-known/openid-configuration']);
  });
});

describe('a client that looks for metadata goes on', () => {
  it('to the next place if a place for a resource fails', async () => {
    const world = await start();
    world.challenge = undefined;
    world.mcp.routes.set(`GET ${RESOURCE_DOCUMENT}`, () => ({ status: 500 }));
    world.mcp.routes.set('GET /.well-known/oauth-protected-resource', () => ({ body: world.resource }));
    expect(await getsIn(world)).toBe(true);
  });

  it('to the next place if a place for an authorization server fails', async () => {
    const world = await start();
    world.as.routes.set(`GET ${SERVER_DOCUMENT}`, () => ({ status: 500 }));
    world.as.routes.set('GET /.well-known/openid-configuration', () => ({ body: world.metadata }));
    expect(await getsIn(world)).toBe(true);
  });

  it('to the next authorization server if one cannot be reached', async () => {
    const world = await start();
    world.resource.authorization_servers = ['http://127.0.0.1:1', world.as.url];
    expect(await getsIn(world)).toBe(true);
  });
});

it('an authorization server that has no token for a while counts as unreachable', async () => {
  const world = await start();
  world.as.routes.set('POST /token', () => ({ status: 503 }));
  const error = await connect(world.serverUrl, { auth: signIn(world.signInOptions) }).catch(thrown => thrown);
  expect(error.cause.kind).toBe('access-unreachable');
});

describe('a client asks for scopes', () => {
  const asked = ({ visits }: World, visit = 0) => visits[visit]?.searchParams.get('scope') ?? null;

  it.each(['2026-07-28', '2025-11-25'])('on %s not for offline_access alone', async revision => {
    const world = await start();
    world.metadata.scopes_supported = ['offline_access'];
    await connect(world.serverUrl, { auth: signIn(world.signInOptions), revision }).catch(() => {});
    expect(world.visits).toHaveLength(1);
    expect(asked(world)).toBeNull();
  });

  it('that the metadata names, if the token lacks some and the server does not say which', async () => {
    const world = await start();
    world.challenge = `Bearer resource_metadata="${world.mcp.url}${RESOURCE_DOCUMENT}", scope="one"`;
    world.resource.scopes_supported = ['one', 'two'];
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"' };
    world.serve = (_, isLetIn) =>
      isLetIn && world.visits.length === 1 ? { status: 403, headers } : undefined;
    await getsIn(world);
    expect([asked(world), asked(world, 1)]).toEqual(['one', 'one two']);
  });

  // covers: 2025-11-25/authorization/challenge-is-authoritative
  // covers: 2025-11-25/authorization/challenge-is-no-subset, 2025-11-25/authorization/scope-priority
  // covers: 2026-07-28/authorization/challenge-is-authoritative
  // covers: 2026-07-28/authorization/challenge-is-no-subset, 2026-07-28/authorization/scope-priority
  it('that the challenge names, whatever the metadata says', async () => {
    const world = await start();
    world.challenge = `Bearer resource_metadata="${world.mcp.url}${RESOURCE_DOCUMENT}", scope="one other"`;
    world.resource.scopes_supported = ['one', 'two'];
    await getsIn(world);
    expect(asked(world)).toBe('one other');
  });

  // covers: 2025-11-25/authorization/missing-scope-falls-back, 2025-11-25/authorization/scope-priority
  // covers: 2026-07-28/authorization/scope-priority
  it('that the metadata names, if the challenge names none', async () => {
    const world = await start();
    world.resource.scopes_supported = ['one', 'two'];
    await getsIn(world);
    expect(asked(world)).toBe('one two');
  });

  // covers: 2025-11-25/authorization/missing-scope-falls-back, 2025-11-25/authorization/scope-priority
  // covers: 2026-07-28/authorization/scope-priority
  it('that nobody names, so none', async () => {
    const world = await start();
    await getsIn(world);
    expect(world.visits).toHaveLength(1);
    expect(asked(world)).toBeNull();
  });
});

describe('the metadata of a server', () => {
  const ROOT = '/.well-known/oauth-protected-resource';

  // covers: 2026-07-28/authorization-server-discovery/client-tries-well-known-uris
  it.each(['', '/'])('may be about the whole origin at the root (with "%s" at its end)', async end => {
    const world = await start();
    world.challenge = undefined;
    world.mcp.routes.delete(`GET ${RESOURCE_DOCUMENT}`);
    world.mcp.routes.set(`GET ${ROOT}`, () => ({ body: world.resource }));
    world.resource.resource = world.mcp.url + end;
    world.isCareless = true;
    expect(await getsIn(world)).toBe(true);
  });

  it('may be about the whole origin if the challenge names the root', async () => {
    const world = await start();
    world.challenge = `Bearer resource_metadata="${world.mcp.url}${ROOT}"`;
    world.mcp.routes.set(`GET ${ROOT}`, () => ({ body: world.resource }));
    world.resource.resource = world.mcp.url;
    world.isCareless = true;
    expect(await getsIn(world)).toBe(true);
  });

  it.each([undefined, RESOURCE_DOCUMENT, '/elsewhere'])(
    'must be about the server itself anywhere else (named: %s)',
    async named => {
      const world = await start();
      world.challenge = named && `Bearer resource_metadata="${world.mcp.url}${named}"`;
      world.mcp.routes.set('GET /elsewhere', () => ({ body: world.resource }));
      world.resource.resource = world.mcp.url;
      world.isCareless = true;
      expect(await getsIn(world)).toBe(false);
      expect(world.as.received).toEqual([]);
    },
  );
});

describe('a server that names another authorization server than before', () => {
  it('is asked for tokens there, and the old one gets no refresh token', async () => {
    const world = await start();
    const client = await connect(world.serverUrl, { auth: signIn(world.signInOptions), cache: false });
    onTestFinished(() => client.close());
    await client.listTools();
    const { authorization } = world.mcp.received.at(-1)!.headers;
    const headers = { 'www-authenticate': world.challenge as string };
    world.serve = received =>
      received.headers.authorization === authorization ? { status: 401, headers } : undefined;
    world.resource.authorization_servers = [world.other.url];
    world.as.received.length = 0;
    await client.listTools();
    expect(world.as.received).toEqual([]);
    expect(world.visits.map(({ origin }) => origin)).toEqual([world.as.url, world.other.url]);
  });
});

describe('a client that asks an authorization server for its metadata', () => {
  // covers: 2025-03-26/authorization/version-header-on-discovery
  it.each(['2025-03-26', '2025-06-18', '2026-07-28'])('says that it speaks %s', async revision => {
    const world = await start();
    const client = await connect(world.serverUrl, { auth: signIn(world.signInOptions), revision }).catch(
      () => undefined,
    );
    await client?.close();
    const [request] = world.as.received.filter(({ path }) => path === SERVER_DOCUMENT);
    expect(request?.headers['mcp-protocol-version']).toBe(revision);
  });
});

// covers: 2025-06-18/authorization/token-is-not-in-the-url, 2026-07-28/authorization/no-token-in-the-url
it('refuses an access token in the URL of a server before anything is sent', async () => {
  const world = await start();
  await expect(connect(`${world.serverUrl}?access_token=secret`)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('use `auth` or `headers`'),
  });
  expect(world.mcp.received).toEqual([]);
});

describe('a server without any metadata', () => {
  async function visits(options: { revision?: string; revisions?: string[] }): Promise<string[]> {
    const world = await start();
    world.challenge = 'Bearer';
    for (const route of world.mcp.routes.keys()) {
      if (route.includes('/.well-known/')) world.mcp.routes.delete(route);
    }
    const places: string[] = [];
    const open = (url: URL) => void places.push(url.origin + url.pathname);
    const redirect = { uri: 'http://127.0.0.1:9/callback', open };
    const auth = signIn({ client: { id: 'known' }, redirect });
    await connect(world.serverUrl, { auth, ...options }).catch(() => {});
    return places.map(place => place.replace(world.mcp.url, ''));
  }

  // covers: 2025-06-18/authorization/client-uses-as-metadata, 2025-06-18/authorization/client-uses-resource-metadata
  it.each([
    { revision: '2025-06-18' },
    { revision: '2025-11-25' },
    { revisions: ['2026-07-28', '2025-11-25'] },
  ])('is not given the default endpoints of 2025-03-26 by a client with %j', async options => {
    expect(await visits(options)).toEqual([]);
  });

  it.each([{ revision: '2025-03-26' }, {}])('is given them by a client with %j', async options => {
    expect(await visits(options)).toEqual(['/authorize']);
  });
});

describe('a server that is its own authorization server, but has no metadata about itself,', () => {
  /** Where the client came to ask for access. */
  async function reached(options: { revision?: string; revisions?: string[] }) {
    const world = await start();
    world.challenge = 'Bearer';
    const { mcp } = world;
    for (const route of mcp.routes.keys()) if (route.includes('/.well-known/')) mcp.routes.delete(route);
    mcp.routes.set(`GET ${SERVER_DOCUMENT}`, () => ({ body: world.servers.get(mcp) }));
    const error = await connect(world.serverUrl, { auth: signIn(world.signInOptions), ...options }).catch(
      thrown => thrown,
    );
    const asked = ['/register', SERVER_DOCUMENT].filter(path => mcp.at(path).length > 0);
    return { error, asked, visits: world.visits.length };
  }

  // covers: 2025-06-18/authorization/client-uses-resource-metadata
  it.each([
    { revision: '2025-06-18' },
    { revision: '2025-11-25' },
    { revision: '2026-07-28' },
    { revisions: ['2026-07-28', '2025-06-18'] },
  ])('is not trusted by a client with %j, and no user is sent to it', async options => {
    const { error, asked, visits } = await reached(options);
    expect({ asked, visits }).toEqual({ asked: [], visits: 0 });
    expect(error).toMatchObject({
      problem: 'resource',
      message: expect.stringContaining('allow older revisions'),
    });
  });

  it.each([{ revision: '2025-03-26' }, {}])('is used by a client with %j', async options => {
    expect(await reached(options)).toMatchObject({ asked: ['/register', SERVER_DOCUMENT], visits: 1 });
  });
});
