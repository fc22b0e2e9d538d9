import { type Attack, ask } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import type { Received } from './party.js';
import type { World } from './world.js';

const AUTHORIZATION = 'client/auth/authorization.ts';
const ANY_ORIGIN: Mutation = {
  file: AUTHORIZATION,
  from: 'if (new URL(request.url).origin !== this.#origin) return {};',
  to: '',
};
const FOLLOWS: Mutation = {
  file: 'client/http/redirect.ts',
  from: 'if (target && keepsMethod && target.origin === new URL(url).origin) return target.href;',
  to: 'if (target) return target.href;',
};
const ANY_ENDPOINT: Mutation = {
  file: 'client/http/sse-transport.ts',
  from: 'if (target?.origin === new URL(url).origin) return target.href;',
  to: 'if (target) return target.href;',
};
const ANY_BEARER: Mutation = {
  file: 'client/auth/bearer.ts',
  from: 'if (new URL(request.url).origin !== origin) return {};',
  to: '',
};

/** Where a server may want requests to go, at another origin. */
const ELSEWHERE: [what: string, place: (world: World) => string][] = [
  ['another server', ({ other }) => `${other.url}/mcp`],
  ['another server, without a scheme', ({ other }) => `//127.0.0.1:${other.port}/mcp`],
  ['another server, with backslashes', ({ other }) => `\\\\127.0.0.1:${other.port}/mcp`],
  [
    'another server, with this one as user name',
    ({ other, mcp }) => `http://127.0.0.1%3A${mcp.port}@127.0.0.1:${other.port}/mcp`,
  ],
  ['another server, by another notation', ({ other }) => `http://2130706433:${other.port}/mcp`],
];

/** Serves the transport of the first revision. */
function servesSse(world: World, endpoint: string): void {
  const { mcp } = world;
  mcp.routes.set('POST /mcp', () => ({ status: 405 }));
  mcp.routes.set('GET /mcp', ({ headers }) =>
    headers.authorization === undefined
      ? { status: 401, headers: { 'www-authenticate': world.challenge as string } }
      : {
          headers: { 'content-type': 'text/event-stream' },
          body: `event: endpoint\ndata: ${endpoint}\n\n`,
          isOpen: true,
        },
  );
}

const bearerOf = (library: Library, world: World) =>
  library.bearer(world.secret('access token', [world.mcp], 'the-key-of-the-server'));

function isReached({ other }: World): boolean {
  return other.at('/mcp').length > 0;
}

export const DESTINATION_ATTACKS: Attack[] = [
  ...[301, 302, 303, 307, 308].flatMap(status =>
    ELSEWHERE.slice(0, status < 307 ? 1 : undefined).map(
      ([what, place]): Attack => ({
        name: `a server that redirects to ${what}, with ${status}`,
        lies: world => {
          world.serve = (_, isLetIn) =>
            isLetIn ? { status, headers: { location: place(world) } } : undefined;
        },
        outcome: 'CannotConnect',
        check: world => !isReached(world),
        mutations: [FOLLOWS, ANY_ORIGIN],
      }),
    ),
  ),
  ...[307, 308].map(
    (status): Attack => ({
      name: `a server that redirects a token of the author to another server, with ${status}`,
      lies: world => {
        world.serve = () => ({ status, headers: { location: `${world.other.url}/mcp` } });
      },
      auth: bearerOf,
      outcome: 'CannotConnect',
      check: world => !isReached(world),
      mutations: [FOLLOWS, ANY_BEARER],
    }),
  ),
  ...ELSEWHERE.map(
    ([what, place]): Attack => ({
      name: `a stream that wants messages to go to ${what}`,
      lies: world => servesSse(world, place(world)),
      outcome: 'CannotConnect',
      check: world => !isReached(world),
      mutations: [ANY_ENDPOINT, ANY_ORIGIN],
    }),
  ),
  {
    name: 'a stream that wants messages with a token of the author to go to another server',
    lies: world => {
      servesSse(world, `${world.other.url}/mcp`);
    },
    auth: bearerOf,
    outcome: 'CannotConnect',
    check: world => !isReached(world),
    mutations: [ANY_ENDPOINT, ANY_BEARER],
  },
  ...sharedAttacks(),
];

/** Two servers with one authorization server, one program, and one store. */
function sharedAttacks(): Attack[] {
  const both = async (
    library: Library,
    world: World,
    urls: string[],
    auth = library.signIn(world.signInOptions),
  ) => {
    for (const url of urls) await ask(library, world, auth, url);
  };
  const one: Mutation = {
    file: AUTHORIZATION,
    from: 'account === undefined ? `tokens ${serverUrl}` :',
    to: 'account === undefined ? `tokens` :',
  };
  const perOrigin: Mutation = {
    file: AUTHORIZATION,
    from: 'account === undefined ? `tokens ${serverUrl}` :',
    to: 'account === undefined ? `tokens ${origin}` :',
  };
  const oneAuthorization: Mutation = {
    file: 'client/auth/methods.ts',
    from: 'made.get(serverUrl) ??',
    to: '[...made.values()][0] ??',
  };
  const tokensOf = (received: Received[]) =>
    new Set(received.flatMap(({ headers }) => headers.authorization ?? []));
  return [
    {
      name: 'a server with the authorization server of another one, to get its token',
      act: (library, world) => both(library, world, [`${world.other.url}/mcp`, world.serverUrl]),
      outcome: 'works',
      check: ({ visits }) => visits.length === 2,
      mutations: [one],
    },
    {
      name: 'a server with the authorization server of another one, to get its token from the store',
      async act(library, world) {
        await both(library, world, [`${world.other.url}/mcp`]);
        await both(library, world, [world.serverUrl]);
      },
      outcome: 'works',
      check: ({ visits }) => visits.length === 2,
      mutations: [one],
    },
    {
      name: 'a server with the authorization server of another one, to get the token of a program',
      act: (library, world) =>
        both(
          library,
          world,
          [`${world.other.url}/mcp`, world.serverUrl],
          library.clientCredentials({ id: 'kitchen', secret: 'x' }) as never,
        ),
      outcome: 'works',
      mutations: [one],
    },
    {
      name: 'a server with the authorization server of another one, which one object gives access to',
      act: (library, world) => both(library, world, [`${world.other.url}/mcp`, world.serverUrl]),
      outcome: 'works',
      mutations: [oneAuthorization, ANY_ORIGIN],
    },
    {
      name: 'another path of the same server, to get the token of the first',
      lies: world => {
        const { url, routes } = world.mcp;
        world.resource.resource = url;
        world.challenge = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`;
        routes.set('GET /.well-known/oauth-protected-resource', () => ({ body: world.resource }));
        routes.set('POST /evil', routes.get('POST /mcp')!);
      },
      act: (library, world) => both(library, world, [world.serverUrl, `${world.mcp.url}/evil`]),
      outcome: 'works',
      check: ({ mcp }) => {
        const [own, evil] = [tokensOf(mcp.at('/mcp')), tokensOf(mcp.at('/evil'))];
        return own.size === 1 && evil.size === 1 && ![...own].some(token => evil.has(token));
      },
      mutations: [perOrigin],
      undefended: ({ mcp }) => {
        const [own, evil] = [tokensOf(mcp.at('/mcp')), tokensOf(mcp.at('/evil'))];
        return [...own].some(token => evil.has(token));
      },
    },
    {
      name: 'a server that moves to another authorization server, to get the refresh token of the first',
      lies: world => {
        world.give = tokens => {
          tokens.expires_in = 0;
        };
      },
      async act(library, world) {
        const auth = library.signIn(world.signInOptions);
        await ask(library, world, auth);
        world.resource.authorization_servers = [world.other.url];
        world.challenge = `${world.challenge}, error="invalid_token"`;
        world.trusted = [world.as, world.other];
        await ask(library, world, auth);
      },
      outcome: 'works',
      check: ({ other }) => other.at('/token').every(({ form }) => !form.has('refresh_token')),
      mutations: [
        {
          file: AUTHORIZATION,
          from: 'const server = await this.#serverOf(issuer);\n    const client = await this.#grant',
          to: 'const server = await this.#chooseServer((await discoverResource(this.#serverUrl, undefined, this.#fetch))!, undefined);\n    const client = await this.#grant',
        },
        {
          file: 'client/auth/registration.ts',
          from: 'if (clientMetadataUrl === id) return { id };',
          to: 'return { id };',
        },
      ],
    },
  ];
}
