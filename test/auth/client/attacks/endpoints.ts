import type { Attack, Outcome } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import type { World } from './world.js';

const SIGN_IN = 'client/auth/sign-in.ts';
const FETCH = 'client/auth/guarded-fetch.ts';

const ANY_LISTS: Mutation = {
  file: 'client/auth/discovery.ts',
  from: 'if (LISTS.includes(name)) return isStrings(value);',
  to: '',
};
const NO_PKCE: Mutation = { file: SIGN_IN, from: "if (!methods?.includes('S256')) {", to: 'if (false) {' };
const ANY_PAGE: Mutation = { file: SIGN_IN, from: 'if (problem)\n', to: 'if (false)\n' };
const FOLLOWS: Mutation = {
  file: FETCH,
  from: "if (!['GET', 'HEAD'].includes(method.toUpperCase())) {",
  to: 'if (false) {',
};
const ANY_URL: Mutation[] = [
  {
    file: FETCH,
    from: "if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {",
    to: 'if (false) {',
  },
  {
    file: FETCH,
    from: 'if (problem === undefined) return undefined;\n',
    to: 'return undefined;\n',
  },
  {
    file: 'node/client/auth/pinned-fetch.ts',
    from: "if (url.protocol === 'http:' && !isLoopback(address)) {",
    to: 'if (false) {',
  },
];

const ANY_TOKEN_ENDPOINT: Mutation = {
  file: SIGN_IN,
  from: 'if (unsafe) throw',
  to: 'if (false) throw',
};

/** Token endpoints that no code may be sent to. */
const UNUSABLE_ENDPOINTS: [what: string, endpoint: string][] = [
  ['a place without TLS', 'http://bistro.example/token'],
  ['a private address', 'https://10.0.0.1/token'],
  ['an address of a cloud', 'https://169.254.169.254/token'],
  ['a name of a private network', 'https://bistro.internal/token'],
  ['a place with a password', 'https://bistro:1@bistro.example/token'],
  ['a script', 'javascript:alert(1)//'],
];

const METHODS: [what: string, methods: unknown][] = [
  ['no methods', undefined],
  ['an empty list', []],
  ['only plain', ['plain']],
  ['another case', ['s256']],
  ['a blank after it', ['S256 ']],
  ['null', null],
  ['a number', 256],
  ['an object', { S256: true }],
  ['another hash', ['S512', 'plain']],
];

/** Places to sign in at that no browser should be sent to. */
const PAGES: [what: string, page: (world: World) => unknown, outcome: Outcome][] = [
  ['a script', () => 'javascript:alert(1)//', 'address'],
  ['a script in capitals, after a blank', () => ' JAVASCRIPT:alert(1)//', 'address'],
  ['a page inside its address', () => 'data:text/html,<script>0</script>', 'address'],
  ['a file', () => 'file:///etc/passwd', 'address'],
  ['a file of another machine', () => 'file://bistro.example/share', 'address'],
  ['another program', () => 'ms-msdt:/id', 'address'],
  ['a page that everybody on the way can change', () => 'http://bistro.example/authorize', 'address'],
  ['a page with a password', ({ as }) => `http://bistro:1@127.0.0.1:${as.port}/authorize`, 'address'],
  ['the source of a page', ({ as }) => `view-source:${as.url}`, 'address'],
  ['a blob', ({ as }) => `blob:${as.url}/authorize`, 'address'],
];

const NO_PAGES: [what: string, page: unknown][] = [
  ['no page', undefined],
  ['a relative address', '/authorize'],
  ['an option in place of an address', '--gpu-launcher=x'],
  ['a number', 1],
  ['a list', ['http://127.0.0.1/authorize']],
];

/** What makes the address of a page so long that no browser gets it. */
const LONG: [what: string, lies: (world: World) => void][] = [
  ['a scope', ({ resource }) => Object.assign(resource, { scopes_supported: ['x'.repeat(900_000)] })],
  [
    'many scopes',
    ({ resource }) =>
      Object.assign(resource, { scopes_supported: Array.from({ length: 9999 }, (_, n) => `scope${n}`) }),
  ],
  [
    'its query',
    ({ metadata, as }) =>
      Object.assign(metadata, { authorization_endpoint: `${as.url}/authorize?x=${'x'.repeat(40_000)}` }),
  ],
  [
    'the id of the client',
    ({ as }) =>
      as.routes.set('POST /register', () => ({ status: 201, body: { client_id: 'x'.repeat(40_000) } })),
  ],
];

const REDIRECTS = [301, 302, 303, 307, 308];

/** Ways to get tokens, each with something that must not go elsewhere. */
const WAYS: [
  what: string,
  auth: (library: Library, world: World) => ReturnType<Library['clientCredentials']>,
][] = [
  ['a code', (library, world) => library.signIn(world.signInOptions)],
  [
    'a secret',
    (library, world) =>
      library.clientCredentials({
        id: 'kitchen',
        secret: world.secret('client secret'),
        method: 'client_secret_post',
      }),
  ],
  [
    'a secret as Basic',
    (library, world) =>
      library.clientCredentials({
        id: 'kitchen',
        secret: world.secret('client secret'),
        method: 'client_secret_basic',
      }),
  ],
  [
    'the token of a workload',
    (library, world) =>
      library.workloadIdentity({
        clientId: 'kitchen',
        assertion: () => world.secret('assertion'),
        issuer: world.as.url,
      }),
  ],
  [
    'an ID token',
    (library, world) =>
      library.enterprise({
        client: { id: 'kitchen' },
        identityProvider: { issuer: world.as.url, client: { id: 'office' } },
        idToken: () => world.secret('ID token'),
      }),
  ],
];

const BAD_REGISTRATIONS: [what: string, body: unknown, status?: number][] = [
  ['a page', '<!doctype html>'],
  ['nothing', ''],
  ['null', 'null'],
  ['a list', []],
  ['no id', { client_secret: 'x' }],
  ['an empty id', { client_id: '' }],
  ['a number as id', { client_id: 1 }],
  ['an object as id', { client_id: { toString: 'x' } }],
  ['an error', { error: 'invalid_redirect_uri' }, 400],
  ['an id with an error', { client_id: 'kitchen', error: 'invalid_client_metadata' }, 400],
  ['an id with trouble', { client_id: 'kitchen' }, 503],
];
const ANY_REGISTRATION: Mutation = {
  file: 'client/auth/registration.ts',
  from: "if (response.ok && typeof client.client_id === 'string' && client.client_id !== '')",
  to: "if ((client.client_id = typeof client.client_id === 'string' ? client.client_id || 'x' : 'x'))",
};

/** What a client is called by the authorization server, and must stay one value. */
const IDS: [what: string, id: string, secret: string][] = [
  ['a colon in the id', 'kitchen:x', 'secret'],
  ['line ends in the secret', 'kitchen', 'secret\r\nx-evil: 1'],
  ['line ends in the id', 'kitchen\r\nx-evil: 1', 'secret'],
  ['letters that Basic does not have', 'Küche ☕', 'geheim ☕'],
  ['a parameter in the id', 'kitchen&scope=admin&client_id=x', 'secret'],
  ['encoded letters', '%6b%3a', '%00%0a'],
];

export const ENDPOINT_ATTACKS: Attack[] = [
  ...METHODS.map(
    ([what, methods]): Attack => ({
      name: `an authorization server with ${what} in place of PKCE`,
      lies: ({ metadata }) => {
        metadata.code_challenge_methods_supported = methods;
      },
      outcome: 'pkce',
      check: ({ visits }) => visits.length === 0,
      mutations: [NO_PKCE],
    }),
  ),
  {
    name: 'an authorization server with a text in place of a list of methods of PKCE',
    lies: ({ metadata }) => {
      metadata.code_challenge_methods_supported = 'no-S256';
    },
    outcome: 'pkce',
    check: ({ visits }) => visits.length === 0,
    mutations: [ANY_LISTS],
  },
  ...['token_endpoint_auth_methods_supported', 'scopes_supported'].map(
    (name): Attack => ({
      name: `an authorization server with a number as ${name}`,
      lies: ({ metadata, resource }) => {
        metadata[name] = 1;
        resource.scopes_supported = ['mcp'];
      },
      outcome: 'works',
      mutations: [ANY_LISTS],
      undefended: 'CannotConnect',
    }),
  ),
  ...PAGES.map(
    ([what, page, outcome]): Attack => ({
      name: `${what} to sign in at`,
      lies: world => {
        world.metadata.authorization_endpoint = page(world);
      },
      outcome,
      check: ({ visits }) => visits.length === 0,
      mutations: [ANY_PAGE],
      undefended: ({ visits }) => visits.length === 1,
    }),
  ),
  ...NO_PAGES.map(
    ([what, page]): Attack => ({
      name: `${what} to sign in at`,
      lies: ({ metadata }) => {
        metadata.authorization_endpoint = page;
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [
        {
          file: SIGN_IN,
          from: 'if (!url) throw',
          to: 'if (!url) return;\n  if (false) throw',
        },
        {
          file: SIGN_IN,
          from: 'new URL(server.authorization_endpoint as string)',
          to: 'new URL(server.authorization_endpoint as string ?? "", server.issuer)',
        },
      ],
    }),
  ),
  ...LONG.map(
    ([what, lies]): Attack => ({
      name: `an address of a page that is endless because of ${what}`,
      lies,
      outcome: 'address',
      check: ({ visits }) => visits.length === 0,
      mutations: [{ file: SIGN_IN, from: 'if (url.href.length > MAX_PAGE)', to: 'if (false)' }],
    }),
  ),
  {
    name: 'a page to sign in at that a shell would run',
    lies: ({ metadata, as }) => {
      metadata.authorization_endpoint = `${as.url}/authorize;$(id)&calc.exe|\`id\`?x=$(id)&y="&calc&z=%26`;
    },
    outcome: 'works',
    check: ({ visits: [page] }) =>
      page?.pathname === '/authorize;$(id)&calc.exe|%60id%60' &&
      page.searchParams.get('x') === '$(id)' &&
      page.searchParams.get('y') === '"' &&
      page.searchParams.get('z') === '&' &&
      !/["<>`\s]/.test(page.href),
    // Putting parts of an address together by hand.
    mutations: [
      {
        file: SIGN_IN,
        from: 'for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);',
        to: 'for (const [name, value] of Object.entries(parameters)) url.search = unescape(url.search) + `&${name}=${value}`;',
      },
    ],
    undefended: ({ visits: [page] }) => page?.searchParams.get('z') !== '&',
  },
  ...[
    'redirect_uri=https://evil.example/',
    'state=known',
    'code_challenge=known&code_challenge_method=plain',
    'response_type=token',
    'resource=https://bistro.example/mcp',
    'client_id=evil',
  ].map(
    (query): Attack => ({
      name: `a page to sign in at that says ${query} beforehand`,
      lies: ({ metadata, as }) => {
        metadata.authorization_endpoint = `${as.url}/authorize?${query}`;
      },
      outcome: 'works',
      check: ({ visits: [page] }) =>
        [...new URLSearchParams(query)].every(([name, value]) => {
          const all = page?.searchParams.getAll(name) ?? [];
          return all.length === 1 && all[0] !== value;
        }),
      mutations: [
        {
          file: SIGN_IN,
          from: 'url.searchParams.set(name, value)',
          to: 'url.searchParams.append(name, value)',
        },
      ],
      undefended: ({ visits: [page] }) =>
        [...new URLSearchParams(query)].every(([name, value]) => page?.searchParams.get(name) === value),
    }),
  ),
  ...REDIRECTS.flatMap(status =>
    WAYS.map(
      ([what, auth]): Attack => ({
        name: `a token endpoint that redirects ${what} to another one, with ${status}`,
        lies: ({ as, other }) => {
          as.routes.set('POST /token', () => ({ status, headers: { location: `${other.url}/token` } }));
        },
        auth,
        outcome: 'address',
        check: ({ other }) => other.received.length === 0,
        mutations: [FOLLOWS],
      }),
    ),
  ),
  ...REDIRECTS.map(
    (status): Attack => ({
      name: `a registration endpoint that redirects to another one, with ${status}`,
      lies: ({ as, other }) => {
        as.routes.set('POST /register', () => ({ status, headers: { location: `${other.url}/register` } }));
      },
      outcome: 'address',
      check: ({ other }) => other.received.length === 0,
      mutations: [FOLLOWS],
    }),
  ),
  ...(['token_endpoint', 'registration_endpoint'] as const).map(
    (name): Attack => ({
      name: `a ${name} without TLS on no loopback address`,
      lies: ({ metadata, other }) => {
        metadata[name] =
          `http://0.0.0.0:${other.port}/${name.split('_')[0]?.replace('registration', 'register')}`;
      },
      outcome: 'address',
      check: ({ other, visits }) => other.received.length === 0 && visits.length === 0,
      mutations: ANY_URL,
      undefended: ({ other }) => other.received.length > 0,
    }),
  ),
  ...UNUSABLE_ENDPOINTS.map(
    ([what, endpoint]): Attack => ({
      name: `${what} as token endpoint, after the user has signed in`,
      lies: ({ metadata }) => {
        metadata.token_endpoint = endpoint;
      },
      outcome: 'address',
      check: ({ visits, as }) => visits.length === 0 && as.at('/register').length === 0,
      mutations: [ANY_TOKEN_ENDPOINT],
      undefended: ({ visits }) => visits.length === 1,
    }),
  ),
  ...[undefined, 1, ['x'], '', '/token'].map(
    (endpoint): Attack => ({
      name: `${JSON.stringify(endpoint)} as token endpoint`,
      lies: ({ metadata }) => {
        metadata.token_endpoint = endpoint;
      },
      outcome: 'issuer',
      check: ({ visits }) => visits.length === 0,
      mutations: [
        {
          file: 'client/auth/discovery.ts',
          from: "return ENDPOINTS.includes(name) ? typeof value === 'string' : true;\n  };\n  return { ...Object.fromEntries",
          to: 'return true;\n  };\n  document.token_endpoint = `${issuer}/token`;\n  return { ...Object.fromEntries',
        },
      ],
    }),
  ),
  ...BAD_REGISTRATIONS.map(
    ([what, body, status = 201]): Attack => ({
      name: `a registration with ${what}`,
      lies: ({ as }) => {
        as.routes.set('POST /register', () => ({ status, body }));
      },
      outcome: 'registration',
      check: ({ visits }) => visits.length === 0,
      mutations: [ANY_REGISTRATION],
    }),
  ),
  ...IDS.map(
    ([what, id, secret]): Attack => ({
      name: `a registration with ${what}`,
      lies: ({ as }) => {
        const body = {
          client_id: id,
          client_secret: secret,
          token_endpoint_auth_method: 'client_secret_basic',
        };
        as.routes.set('POST /register', () => ({ status: 201, body }));
      },
      outcome: 'works',
      check: ({ as, visits: [page] }) => {
        const [request] = as.at('/token');
        const [, value = ''] = (request?.headers.authorization ?? '').split(' ');
        const parts = Buffer.from(value, 'base64').toString().split(':');
        const [user, password] = parts.map(part => new URLSearchParams(`x=${part}`).get('x'));
        const isWhole = parts.length === 2 && user === id && password === secret;
        return isWhole && page?.searchParams.get('client_id') === id && !request?.headers['x-evil'];
      },
      mutations: [
        {
          file: 'client/auth/client-identity.ts',
          from: "new URLSearchParams([['', part]]).toString().slice(1),",
          to: 'unescape(encodeURIComponent(part)),',
        },
      ],
      undefended: ({ as }) => {
        const [, value = ''] = (as.at('/token')[0]?.headers.authorization ?? '').split(' ');
        return Buffer.from(value, 'base64').toString() === `${id}:${secret}`;
      },
    }),
  ),
];
