import { type Attack, ask, outcomeOf } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import { CALLBACK, RESOURCE_DOCUMENT, type World } from './world.js';

const TOKENS = 'client/auth/tokens.ts';
const ENDPOINT = 'client/auth/token-endpoint.ts';

/** Reads what comes, and asks no questions. */
const UNREAD: Mutation = {
  file: ENDPOINT,
  from: 'processGenericTokenEndpointResponse(server, client, await send(request), reading);',
  to: "({ token_type: 'bearer', ...((await (await send(request)).json()) as object) }) as never;",
};
const ANY_TYPE: Mutation = {
  file: ENDPOINT,
  from: 'const reading = givesAssertion ? { recognizedTokenTypes: { n_a() {} } } : {};',
  to: 'const reading = { recognizedTokenTypes: new Proxy({}, { get: () => () => {} }) as never };',
};
const ANY_TOKEN: Mutation = { file: TOKENS, from: 'if (!/^[\\x21-\\x7e]+$/.test(token))', to: 'if (false)' };
const UNBOUND: Mutation = { file: TOKENS, from: "if (key && type === 'Bearer')", to: 'if (false)' };
const BOUND: Mutation = { file: TOKENS, from: "if (!key && type === 'DPoP')", to: 'if (false)' };

/** Asks once while the authorization server lies, and once when it is honest again. */
async function askAfterTrouble(library: Library, world: World): Promise<void> {
  const auth = library.signIn(world.signInOptions);
  await ask(library, world, auth).catch(() => {});
  world.give = () => {};
  await ask(library, world, auth);
}

/** Answers of the token endpoint that are none. */
const ANSWERS: [what: string, change: Record<string, unknown>][] = [
  ['no token', { access_token: undefined }],
  ['an empty token', { access_token: '' }],
  ['a number as token', { access_token: 1 }],
  ['a list as token', { access_token: ['x'] }],
  ['null as token', { access_token: null }],
  ['a negative lifetime', { expires_in: -1 }],
  ['a word as lifetime', { expires_in: 'soon' }],
  ['an object as lifetime', { expires_in: {} }],
  ['a number as refresh token', { refresh_token: 1 }],
  ['an empty refresh token', { refresh_token: '' }],
  ['a list of scopes', { scope: ['menu:read'] }],
];

const TYPES: [what: string, type: unknown][] = [
  ['MAC', 'MAC'],
  ['N_A', 'N_A'],
  ['mtls', 'mtls'],
  ['a header', 'Bearer x\r\nx-evil: 1,'],
  ['Basic', 'Basic'],
  ['the name of a method', 'constructor'],
];

/** Tokens that would be more than a token in a header. */
const CHARACTERS: [what: string, token: string][] = [
  ['a line end', 'x\r\nx-evil: 1'],
  ['a line feed', 'x\nx-evil: 1'],
  ['a line end behind it', 'x\r\n'],
  ['a zero byte', 'x\0'],
  ['a letter that ASCII does not have', 'xé'],
  ['a letter that no header has', 'x☕'],
  ['a blank', 'x y'],
  ['a tab', 'x\ty'],
  ['nothing but a blank', ' '],
  ['a delete character', 'x\x7f'],
];

function gives(change: Record<string, unknown>): (world: World) => void {
  return world => {
    world.isCareless = true;
    world.give = tokens => void Object.assign(tokens, change);
  };
}

/** Demands tokens that are bound to a key. */
function demandsKeys({ resource, metadata }: World): void {
  resource.dpop_bound_access_tokens_required = true;
  metadata.dpop_signing_alg_values_supported = ['ES256'];
}

/** What the server heard with a token. */
function isHeard({ mcp }: World, token: string): boolean {
  return mcp.received.some(({ headers }) => headers.authorization?.includes(token));
}

export const TOKEN_ATTACKS: Attack[] = [
  ...ANSWERS.map(
    ([what, change]): Attack => ({
      name: `a token endpoint that gives ${what}`,
      lies: gives(change),
      outcome: 'token',
      check: ({ mcp }) => mcp.received.every(({ headers }) => headers.authorization === undefined),
      mutations: [UNREAD, ANY_TOKEN],
      undefended: what.includes('list of scopes') ? 'CannotConnect' : 'works',
    }),
  ),
  {
    name: 'a token endpoint that gives a token without a type',
    lies: gives({ token_type: undefined }),
    outcome: 'token',
    mutations: [UNREAD],
  },
  ...TYPES.map(
    ([what, type]): Attack => ({
      name: `a token endpoint that gives a token of the type ${what}`,
      lies: gives({ token_type: type }),
      outcome: 'token',
      check: ({ mcp }) => mcp.received.every(({ headers }) => headers.authorization === undefined),
      mutations: [ANY_TYPE],
    }),
  ),
  ...CHARACTERS.map(
    ([what, token]): Attack => ({
      name: `a token with ${what}`,
      lies: gives({ access_token: token }),
      outcome: 'token',
      check: world => !isHeard(world, 'x') && world.mcp.received.every(({ headers }) => !headers['x-evil']),
      mutations: [ANY_TOKEN],
      // Either it is sent, or it is in the way for good.
      undefended: (_, outcome) => ['works', 'CannotConnect', 'refused'].includes(outcome),
    }),
  ),
  {
    name: 'a token that no header can carry, so that nothing works any more',
    lies: gives({ access_token: 'x\ny' }),
    act: askAfterTrouble,
    outcome: 'works',
    mutations: [ANY_TOKEN],
    undefended: 'CannotConnect',
  },
  {
    name: 'a token bound to a key that was never shown, so that nothing works any more',
    lies: gives({ token_type: 'DPoP' }),
    act: askAfterTrouble,
    outcome: 'works',
    mutations: [BOUND],
    undefended: 'token',
  },
  {
    name: 'a lifetime that no number can hold, so that every process gets new tokens each time',
    lies: gives({ expires_in: 1.7e308 }),
    async act(library, world) {
      await ask(library, world, library.signIn(world.signInOptions));
      await ask(library, world, library.signIn(world.signInOptions));
    },
    outcome: 'works',
    check: ({ as }) => as.at('/token').length === 1,
    mutations: [{ file: TOKENS, from: 'Math.min(expires_in * 1000, MAX_LIFE_MS)', to: 'expires_in * 1000' }],
    undefended: ({ as }) => as.at('/token').length > 1,
  },
  ...bindingAttacks(),
  ...loopAttacks(),
];

/** Tokens that anybody could use, where they should be bound to a key. */
function bindingAttacks(): Attack[] {
  return [
    {
      name: 'a token that is not bound to a key, which the server demands',
      lies: world => {
        demandsKeys(world);
        gives({ token_type: 'Bearer' })(world);
      },
      outcome: 'token',
      check: ({ mcp }) => mcp.received.every(({ headers }) => headers.authorization === undefined),
      mutations: [UNBOUND],
    },
    {
      name: 'a token that is not bound to a key, which the author demands',
      lies: world => {
        world.metadata.dpop_signing_alg_values_supported = ['ES256'];
        gives({ token_type: 'Bearer' })(world);
      },
      auth: (library, world) => library.signIn({ ...world.signInOptions, dpop: true }),
      outcome: 'token',
      mutations: [UNBOUND],
    },
    {
      name: 'a token that is not bound to a key, for a program',
      lies: world => {
        demandsKeys(world);
        gives({ token_type: 'Bearer' })(world);
      },
      auth: library => library.clientCredentials({ id: 'kitchen', secret: 'x' }),
      outcome: 'token',
      mutations: [UNBOUND],
    },
    {
      name: 'a token that is not bound to a key, for a user who comes back later',
      lies: world => {
        demandsKeys(world);
        gives({ token_type: 'Bearer' })(world);
      },
      async act(library, world) {
        const auth = library.signIn({ store: world.store, redirect: { uri: CALLBACK } });
        const begun = await ask(library, world, auth).catch(error => error);
        if (outcomeOf(begun) !== 'SignInRequired') throw begun;
        await auth.finish(world.visit(begun.url));
      },
      outcome: 'token',
      mutations: [UNBOUND],
    },
    {
      name: 'a token that is not bound to a key, in place of one that was',
      lies: world => {
        demandsKeys(world);
        world.isCareless = true;
        world.give = (tokens, { form }) => {
          tokens.expires_in = 0;
          if (form.has('refresh_token')) tokens.token_type = 'Bearer';
        };
      },
      outcome: 'token',
      check: ({ mcp }) => mcp.received.every(({ headers }) => !headers.authorization?.startsWith('Bearer')),
      mutations: [UNBOUND],
    },
    ...[undefined, [], ['RS256'], ['es256'], 'ES256', ['none'], [['ES256']]].map(
      (algorithms): Attack => ({
        name: `an authorization server that binds tokens with ${JSON.stringify(algorithms)}, which the server demands`,
        lies: world => {
          demandsKeys(world);
          world.metadata.dpop_signing_alg_values_supported = algorithms;
        },
        outcome: 'token',
        check: ({ visits }) => visits.length === 0,
        mutations: [
          {
            file: 'client/auth/dpop.ts',
            from: 'return algorithms?.includes(ALGORITHM) ?? false;',
            to: 'return true;',
          },
        ],
      }),
    ),
  ];
}

/** Serves a revision with sessions, and nobody may open its stream. */
function servesStream(world: World): void {
  const { routes } = world.mcp;
  const refusal = { status: 401, headers: { 'www-authenticate': world.challenge as string } };
  routes.set('GET /mcp', () => refusal);
  routes.set('POST /mcp', ({ headers, body }) => {
    if (headers.authorization === undefined) return refusal;
    const { id, method } = JSON.parse(body);
    if (id === undefined) return { status: 202 };
    const welcome = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'evil', version: '1' },
    };
    if (method === 'initialize') return { body: { jsonrpc: '2.0', id, result: welcome } };
    if (method === 'ping') return { body: { jsonrpc: '2.0', id, result: {} } };
    return { body: { jsonrpc: '2.0', id, error: { code: -32601, message: 'not found' } } };
  });
}

/** Servers that are never content. */
function loopAttacks(): Attack[] {
  const renewals = (limit: number): Mutation => ({
    file: 'client/auth/request-access.ts',
    from: 'const MAX_RENEWALS = 3;',
    to: `const MAX_RENEWALS = ${limit};`,
  });
  const stepsUp: Mutation = {
    file: 'client/auth/request-access.ts',
    from: 'const MAX_STEPS_UP = 3;',
    to: 'const MAX_STEPS_UP = 20;',
  };
  const insufficient = (scope: string) => ({
    status: 403,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
  const isFirst = ({ body }: { body: string }) => body.includes('server/discover');
  return [
    ...(['signIn', 'clientCredentials'] as const).map(
      (way): Attack => ({
        name: `a server that refuses every token (${way})`,
        lies: world => {
          world.serve = () => ({
            status: 401,
            headers: { 'www-authenticate': world.challenge as string },
          });
        },
        auth: (library: Library, world: World) =>
          way === 'signIn'
            ? library.signIn(world.signInOptions)
            : library.clientCredentials({ id: 'kitchen', secret: 'x' }),
        outcome: 'refused',
        check: ({ as, visits }) => as.at('/token').length <= 3 && visits.length <= 3,
        mutations: [renewals(20)],
        undefended: ({ as }) => as.at('/token').length > 10,
      }),
    ),
    {
      name: 'a server that refuses every token, with metadata in another place each time',
      lies: world => {
        let places = 0;
        world.serve = () => {
          const place = `${RESOURCE_DOCUMENT}/${++places}`;
          world.mcp.routes.set(`GET ${place}`, () => ({ body: world.resource }));
          const challenge = `Bearer resource_metadata="${world.mcp.url}${place}"`;
          return { status: 401, headers: { 'www-authenticate': challenge } };
        };
      },
      outcome: 'refused',
      check: ({ visits }) => visits.length <= 3,
      mutations: [renewals(20)],
      undefended: ({ visits }) => visits.length > 10,
    },
    {
      name: 'a server that refuses every token for its stream',
      lies: servesStream,
      async act(library, world) {
        const auth = library.signIn(world.signInOptions);
        const onNotification = () => {};
        const client = await library.connect(world.serverUrl, { auth, onNotification, onWarning() {} });
        // The stream is opened in the background. It is given up when it has not been asked for during many pings.
        const opened = () => world.mcp.at('/mcp').filter(({ method }) => method === 'GET').length;
        for (let quiet = 0, before = 0; quiet < 100 && world.visits.length <= 10; quiet++) {
          await client.ping();
          if (opened() === before && before > 0) continue;
          before = opened();
          quiet = 0;
        }
        await client.close();
      },
      outcome: 'works',
      check: ({ visits }) => visits.length <= 4,
      mutations: [renewals(20)],
      undefended: ({ visits }) => visits.length > 10,
    },
    {
      name: 'a server that wants ever more scopes',
      lies: world => {
        let wanted = 0;
        world.serve = (_, isLetIn) => (isLetIn ? insufficient(`menu:${++wanted}`) : undefined);
      },
      outcome: 'scope',
      check: ({ visits }) => visits.length <= 4,
      mutations: [stepsUp],
      undefended: ({ visits }) => visits.length > 10,
    },
    {
      name: 'a server that wants the same scope again and again',
      lies: world => {
        world.serve = (_, isLetIn) => (isLetIn ? insufficient('menu:write') : undefined);
      },
      outcome: 'scope',
      check: ({ visits }) => visits.length <= 2,
      mutations: [
        stepsUp,
        {
          file: 'client/auth/request-access.ts',
          from: 'if (isHeld || isAskedInVain(used, needed) || ',
          to: 'if (',
        },
      ],
      undefended: ({ visits }) => visits.length > 10,
    },
    {
      name: 'a server that wants a scope which the authorization server does not give',
      lies: world => {
        world.serve = (_, isLetIn) => (isLetIn ? insufficient('menu:write') : undefined);
        world.give = tokens => {
          tokens.scope = 'menu:read';
        };
      },
      outcome: 'scope',
      check: ({ visits }) => visits.length <= 2,
      mutations: [
        stepsUp,
        {
          file: 'client/auth/request-access.ts',
          from: 'isAskedInVain(used, needed) || ',
          to: '',
        },
      ],
      undefended: ({ visits }) => visits.length > 10,
    },
    {
      name: 'a server that wants other scopes and other tokens in turn',
      lies: world => {
        let asked = 0;
        world.serve = (_, isLetIn) => {
          if (!isLetIn) return undefined;
          asked++;
          return asked % 2 === 0
            ? insufficient(`menu:${asked}`)
            : { status: 401, headers: { 'www-authenticate': world.challenge as string } };
        };
      },
      outcome: 'refused',
      check: ({ visits }) => visits.length <= 7,
      mutations: [stepsUp, renewals(20)],
      undefended: ({ visits }) => visits.length > 10,
    },
    ...[
      ['no scopes', 'Bearer error="insufficient_scope"'],
      ['another error', 'Bearer error="invalid_request", scope="menu:write"'],
      ['no error', 'Bearer scope="menu:write"'],
      ['another scheme', 'Basic error="insufficient_scope", scope="menu:write"'],
      ['nothing', ''],
    ].map(
      ([what, challenge]): Attack => ({
        name: `a server that refuses a token with 403 and ${what}`,
        lies: world => {
          world.serve = (received, isLetIn) =>
            isLetIn && !isFirst(received)
              ? { status: 403, headers: { 'www-authenticate': challenge as string } }
              : undefined;
        },
        outcome: 'HttpError',
        check: ({ visits }) => visits.length === 1,
        mutations: [
          {
            file: 'client/auth/request-access.ts',
            from: "if (demand.error !== 'insufficient_scope' || !used) return false;",
            to: "if (!used) return false;\n    demand.scope ??= 'x';",
          },
        ],
        undefended: 'scope',
      }),
    ),
    {
      name: 'a server that refuses everything and says nothing about who gives tokens',
      lies: world => {
        world.mcp.routes.clear();
        world.mcp.routes.set('POST /mcp', () => ({ status: 401 }));
      },
      outcome: 'resource',
      check: ({ visits }) => visits.length === 0,
      mutations: [
        {
          file: 'client/auth/registration.ts',
          from: "if (response.ok && typeof client.client_id === 'string' && client.client_id !== '')",
          to: "if ((client.client_id = 'x'))",
        },
      ],
      undefended: ({ visits }) => visits.length > 0,
    },
  ];
}
