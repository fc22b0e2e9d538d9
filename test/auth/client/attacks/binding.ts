import { generateKeyPairSync } from 'node:crypto';
import type { ClientIdentity } from '../../../../src/client/auth/client-identity.js';
import { type Attack, ask } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import type { World } from './world.js';

const ANY_ISSUER: Mutation = {
  file: 'client/auth/client-identity.ts',
  from: 'if (bound !== undefined && bound !== issuer) {',
  to: 'if (false) {',
};

const ANY_OWNER: Mutation = {
  file: 'client/auth/client-identity.ts',
  from: 'return (client.issuer ?? (await store.get(keyOf(client)))?.value) === issuer;',
  to: 'return true;',
};

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

type Credential = (world: World) => Partial<ClientIdentity>;

/** What a client shows who it is with. */
const CREDENTIALS: [what: string, credential: Credential][] = [
  [
    'the secret, as Basic',
    world => ({ secret: world.secret('client secret'), method: 'client_secret_basic' }),
  ],
  [
    'the secret, in the body',
    world => ({ secret: world.secret('client secret'), method: 'client_secret_post' }),
  ],
  ['an assertion made with its key', () => ({ privateKey: PEM })],
];

/** Names the other authorization server. */
function migrate(world: World): void {
  world.resource.authorization_servers = [world.other.url];
  world.trusted = [world.as];
  world.isCareless = true;
}

/** Uses the right authorization server, and then another one. */
async function useThenMigrate(library: Library, world: World, auth: Attack['auth']): Promise<void> {
  const got = auth?.(library, world) ?? library.signIn(world.signInOptions);
  await ask(library, world, got);
  migrate(world);
  // For another address of the server, the client needs another token.
  await ask(library, world, got, `${world.serverUrl}?again`);
}

const NAMED = (world: World) => ({ issuer: world.as.url });

export const BINDING_ATTACKS: Attack[] = [
  ...CREDENTIALS.flatMap(([what, credential]): Attack[] => [
    {
      name: `a server that names another authorization server, to get ${what}`,
      lies: migrate,
      auth: (library, world) =>
        library.clientCredentials({
          id: 'kitchen',
          store: world.store,
          ...NAMED(world),
          ...credential(world),
        }),
      outcome: 'issuer',
      mutations: [ANY_ISSUER],
    },
    {
      name: `a server that names another authorization server after the first, to get ${what}`,
      auth: (library, world) =>
        library.clientCredentials({ id: 'kitchen', store: world.store, ...credential(world) }),
      act: useThenMigrate,
      outcome: 'issuer',
      mutations: [ANY_ISSUER],
    },
    {
      name: `a server that names another authorization server for a user, to get ${what}`,
      lies: migrate,
      auth: (library, world) =>
        library.signIn({
          ...world.signInOptions,
          client: { id: 'kitchen', ...NAMED(world), ...credential(world) },
        }),
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [ANY_ISSUER],
    },
    {
      name: `a server that names another authorization server for another user, to get ${what}`,
      auth: (library, world) =>
        library.signIn({ ...world.signInOptions, client: { id: 'kitchen', ...credential(world) } }),
      act: useThenMigrate,
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 1,
      mutations: [ANY_ISSUER],
    },
    {
      name: `a server that names another authorization server of an enterprise, to get ${what}`,
      lies: world => {
        migrate(world);
        world.trusted = [world.as];
      },
      auth: (library, world) =>
        library.enterprise({
          client: { id: 'kitchen', ...NAMED(world), ...credential(world) },
          identityProvider: { issuer: world.as.url, client: { id: 'office', secret: 'office secret' } },
          idToken: () => world.secret('ID token'),
          store: world.store,
        }),
      outcome: 'issuer',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [ANY_ISSUER],
    },
  ]),
  ...[
    ['with a slash', (url: string) => `${url}/`],
    ['without a port', () => 'http://127.0.0.1'],
    ['in capitals', (url: string) => url.toUpperCase()],
  ].map(
    ([what, change]): Attack => ({
      name: `an authorization server that is the one the client belongs to, but ${what}`,
      lies: world => world.secret('client secret', [], 'the secret of the kitchen'),
      auth: (library, world) =>
        library.clientCredentials({
          id: 'kitchen',
          secret: 'the secret of the kitchen',
          issuer: (change as (url: string) => string)(world.as.url),
        }),
      outcome: 'issuer',
      mutations: [ANY_ISSUER],
    }),
  ),
  {
    name: 'tokens of an authorization server that the client does not belong to any more, to get its new secret',
    lies: world => {
      world.resource.authorization_servers = [world.other.url];
      world.secret('client secret', [world.as], 'the new secret of the kitchen');
      world.trusted = [world.as, world.other];
    },
    async act(library, world) {
      const { store } = world;
      world.give = tokens => {
        tokens.expires_in = 0;
      };
      await ask(
        library,
        world,
        library.clientCredentials({ id: 'kitchen', secret: 'the old secret', store }),
      );
      world.resource.authorization_servers = [world.as.url];
      const secret = 'the new secret of the kitchen';
      await ask(
        library,
        world,
        library.clientCredentials({ id: 'kitchen', secret, issuer: world.as.url, store }),
      );
    },
    outcome: 'works',
    mutations: [ANY_OWNER],
    undefended: 'nothing else',
  },
  ...[true, false].map(
    (isNamed): Attack => ({
      name: `an id that a client gets from another authorization server and then has itself (${isNamed ? 'at a named one' : 'at any'}), to get its secret`,
      lies: world => {
        world.resource.authorization_servers = [world.other.url];
        world.secret('client secret', [world.as], 'the secret of the kitchen');
        world.trusted = [world.as, world.other];
        world.other.routes.set('POST /register', () => ({ status: 201, body: { client_id: 'kitchen' } }));
        world.give = tokens => {
          tokens.expires_in = 0;
        };
      },
      async act(library, world) {
        await ask(library, world, library.signIn(world.signInOptions));
        world.resource.authorization_servers = [world.as.url];
        const own = isNamed ? { issuer: world.as.url } : {};
        const client = { id: 'kitchen', secret: 'the secret of the kitchen', ...own };
        await ask(library, world, library.signIn({ ...world.signInOptions, client }));
      },
      outcome: 'works',
      mutations: [ANY_OWNER],
      undefended: 'nothing else',
    }),
  ),
  ...assertionAttacks(),
  ...exchangeAttacks(),
];

/** The token of a workload is for whom it names. */
function assertionAttacks(): Attack[] {
  const audiences: [what: string, audience: (world: World) => unknown][] = [
    ['is for another authorization server', ({ as }) => as.url],
    ['is for nobody', () => undefined],
    ['is for an empty list', () => []],
    ['is for an authorization server whose name begins like this one', ({ other }) => `${other.url}0`],
    ['is for a path of this one', ({ other }) => `${other.url}/tenant`],
    ['is for the host of this one', ({ other }) => other.url.slice(7)],
    ['is for the server', ({ serverUrl }) => serverUrl],
  ];
  const workload = (audience: (world: World) => unknown) => (library: Library, world: World) =>
    library.workloadIdentity({
      clientId: 'kitchen',
      assertion: () => world.secret('assertion', [], jwt({ aud: audience(world), sub: crypto.randomUUID() })),
      store: world.store,
    });
  const anyAudience: Mutation = {
    file: 'client/auth/workload-identity.ts',
    from: 'if (isMeant) return;',
    to: 'return;',
  };
  return [
    ...audiences.map(
      ([what, audience]): Attack => ({
        name: `an authorization server that wants the token of a workload, which ${what}`,
        lies: migrate,
        auth: workload(audience),
        outcome: 'issuer',
        check: ({ other }) => other.at('/token').length === 0,
        mutations: [anyAudience],
      }),
    ),
    {
      name: 'an authorization server that wants a token of a workload which does not say whom it is for',
      lies: migrate,
      auth: (library, world) =>
        library.workloadIdentity({ clientId: 'kitchen', assertion: () => world.secret('assertion') }),
      outcome: 'token',
      mutations: [
        {
          file: 'client/auth/workload-identity.ts',
          from: 'if (this.#options.issuer === undefined) checkAudience(assertion, server);',
          to: '',
        },
      ],
    },
    {
      name: 'an authorization server that the author has not named for the token of a workload',
      lies: migrate,
      auth: (library, world) =>
        library.workloadIdentity({
          clientId: 'kitchen',
          assertion: () => world.secret('assertion'),
          issuer: world.as.url,
        }),
      outcome: 'issuer',
      mutations: [ANY_ISSUER],
    },
    {
      name: 'an authorization server that no token of a workload is for, and that wants to be the only one',
      async act(library, world) {
        const auth = library.workloadIdentity({
          clientId: 'kitchen',
          assertion: () => jwt({ aud: world.as.url }),
          store: world.store,
        });
        migrate(world);
        await ask(library, world, auth).catch(() => {});
        world.resource.authorization_servers = [world.as.url];
        await ask(library, world, auth);
      },
      outcome: 'works',
      mutations: [
        {
          file: 'client/auth/jwt-bearer.ts',
          from: 'await checkIssuer(',
          to: 'await bindIssuer(',
        },
      ],
      undefended: 'issuer',
    },
  ];
}

/** What an identity provider gives has to be what was asked for. */
function exchangeAttacks(): Attack[] {
  const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
  const wrong: [what: string, type: unknown][] = [
    ['an access token', type('access_token')],
    ['a refresh token', type('refresh_token')],
    ['the ID token', type('id_token')],
    ['some JWT', type('jwt')],
    ['something without a type', undefined],
    ['something with a list of types', [type('id-jag')]],
    ['something with the type in capitals', type('ID-JAG')],
  ];
  const auth = (library: Library, world: World) =>
    library.enterprise({
      client: { id: 'kitchen' },
      identityProvider: { issuer: world.as.url, client: { id: 'office' } },
      idToken: () => world.secret('ID token', [world.as]),
    });
  return [
    ...wrong.map(
      ([what, issued]): Attack => ({
        name: `an identity provider that gives ${what} in place of an ID-JAG`,
        lies: world => {
          world.resource.authorization_servers = [world.other.url];
          world.trusted = [world.as, world.other];
          world.give = (tokens, _, party) => {
            if (party === world.as) tokens.issued_token_type = issued;
          };
        },
        auth,
        outcome: 'token',
        check: ({ other }) => other.at('/token').length === 0,
        mutations: [
          {
            file: 'client/auth/enterprise.ts',
            from: 'if (response.issued_token_type !== ID_JAG)',
            to: 'if (false)',
          },
        ],
      }),
    ),
    {
      name: 'an identity provider whose metadata is of another issuer, to get the ID token',
      lies: world => {
        world.metadata.issuer = world.other.url;
        world.metadata.token_endpoint = `${world.other.url}/token`;
        world.resource.authorization_servers = [world.other.url];
        world.trusted = [world.other];
      },
      auth,
      outcome: 'issuer',
      mutations: [
        {
          file: 'client/auth/discovery.ts',
          from: 'if (server.issuer !== issuer) {',
          to: 'if (false) {',
        },
      ],
    },
  ];
}

function jwt(claims: object): string {
  const [header, body] = [{ alg: 'none' }, claims].map(part =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${header}.${body}.x`;
}
