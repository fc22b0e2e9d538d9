import { type Attack, ask, outcomeOf } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import { CALLBACK, hashOf, type World } from './world.js';

const FILE = 'client/auth/sign-in.ts';
const CHECK = 'validateAuthResponse(server, { client_id: client.id }, back, state)';

/** Whatever `iss` says is right. */
function insteadOfCheck(to: string): Mutation {
  return { file: FILE, from: CHECK, to };
}

const ANY_ISSUER = insteadOfCheck(
  "validateAuthResponse({ ...server, issuer: back.searchParams.get('iss') || server.issuer }, { client_id: client.id }, back, state)",
);
const NO_ISSUER = insteadOfCheck(
  'validateAuthResponse({ ...server, authorization_response_iss_parameter_supported: false }, { client_id: client.id }, back, state)',
);
const EMPTY_ISSUER: Mutation = {
  file: FILE,
  from: "if (back.searchParams.get('iss') === '')",
  to: 'if (false)',
};
const ANY_STATE = insteadOfCheck(
  "validateAuthResponse(server, { client_id: client.id }, new URLSearchParams([...back.searchParams].filter(([name]) => name !== 'state')), undefined)",
);
const LAST_COUNTS = insteadOfCheck(
  'validateAuthResponse(server, { client_id: client.id }, new URLSearchParams([...new Map([...back.searchParams].reverse())]), state)',
);
const ONLY_KNOWN = insteadOfCheck(
  "validateAuthResponse(server, { client_id: client.id }, new URLSearchParams([...back.searchParams].filter(([name]) => ['code', 'state', 'iss'].includes(name))), state)",
);
const ANY_CODE: Mutation = {
  file: FILE,
  from: "if (parameters.getAll('code').filter(Boolean).length !== 1)",
  to: 'if (false)',
};
const NOT_TAKEN: Mutation = {
  file: FILE,
  from: 'const isTaken = stored && (await this.#store.replace(keyOf(state as string), undefined, stored.version));',
  to: 'const isTaken = stored;',
};

/** What somebody else has made their code with. */
const VERIFIER = 'v'.repeat(43);

type Change = (parameters: URLSearchParams, world: World, page: URL) => void;

/** Changes what users come back with. */
function comesBack(change: Change, isSupported = false): (world: World) => void {
  return world => {
    if (isSupported) world.metadata.authorization_response_iss_parameter_supported = true;
    world.back = (callback, page) => change(callback.searchParams, world, page);
  };
}

const WRONG_ISSUERS: [what: string, issuer: (world: World) => string][] = [
  ['another authorization server', ({ other }) => other.url],
  ['the server', ({ mcp }) => mcp.url],
  ['itself with a slash', ({ as }) => `${as.url}/`],
  ['itself in capitals', ({ as }) => as.url.toUpperCase()],
  ['itself with a path', ({ as }) => `${as.url}/authorize`],
  ['itself with another scheme', ({ as }) => as.url.replace('http', 'https')],
  ['itself by another name', ({ as }) => as.url.replace('127.0.0.1', 'localhost')],
  ['itself, encoded twice', ({ as }) => encodeURIComponent(as.url)],
  ['itself after a blank', ({ as }) => ` ${as.url}`],
];

const WRONG_STATES: [what: string, change: Change][] = [
  ['with another state', parameters => parameters.set('state', 'another')],
  ['without a state', parameters => parameters.delete('state')],
  ['with an empty state', parameters => parameters.set('state', '')],
  [
    'with the beginning of the state',
    parameters => parameters.set('state', parameters.get('state')!.slice(0, 8)),
  ],
  ['with more than the state', parameters => parameters.append('state', '')],
  [
    'with the state in capitals',
    parameters => parameters.set('state', parameters.get('state')!.toUpperCase()),
  ],
  [
    'with another state before the right one',
    parameters => {
      const state = parameters.get('state') as string;
      parameters.set('state', 'another');
      parameters.append('state', state);
    },
  ],
  ['with a blank after the state', parameters => parameters.set('state', `${parameters.get('state')} `)],
];

const ADDED: [what: string, name: string][] = [
  ['a signed response', 'response'],
  ['an ID token', 'id_token'],
  ['a token', 'token'],
];

export const RESPONSE_ATTACKS: Attack[] = [
  ...[true, false].flatMap(isSupported =>
    WRONG_ISSUERS.map(
      ([what, issuer]): Attack => ({
        name: `a user who comes back from ${what}, where the authorization server ${isSupported ? 'says' : 'does not say'} that it tells who it is`,
        lies: comesBack((parameters, world) => parameters.set('iss', issuer(world)), isSupported),
        outcome: 'response',
        check: ({ as }) => as.at('/token').length === 0,
        mutations: [ANY_ISSUER],
      }),
    ),
  ),
  {
    name: 'a user who comes back from an empty issuer, where the authorization server does not say that it tells who it is',
    lies: comesBack(parameters => parameters.set('iss', ''), false),
    outcome: 'response',
    check: ({ as }) => as.at('/token').length === 0,
    mutations: [EMPTY_ISSUER],
  },
  ...(['delete', 'empty'] as const).map(
    (how): Attack => ({
      name: `a user who comes back from nobody (${how}), where the authorization server says that it tells who it is`,
      lies: comesBack(parameters => {
        if (how === 'delete') parameters.delete('iss');
        else parameters.set('iss', '');
      }, true),
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: how === 'delete' ? [NO_ISSUER] : [NO_ISSUER, EMPTY_ISSUER],
    }),
  ),
  {
    name: 'a user who comes back from two authorization servers',
    lies: comesBack((parameters, { other }) => parameters.append('iss', other.url), true),
    outcome: 'response',
    check: ({ as }) => as.at('/token').length === 0,
    mutations: [LAST_COUNTS],
  },
  {
    name: 'an authorization server that sends the user to the page of another one, to get its code',
    lies: ({ metadata, other, servers }) => {
      metadata.authorization_endpoint = `${other.url}/authorize`;
      servers.get(other)!.authorization_response_iss_parameter_supported = true;
    },
    outcome: 'response',
    check: ({ as }) => as.at('/token').length === 0,
    mutations: [ANY_ISSUER],
  },
  ...WRONG_STATES.map(
    ([what, change]): Attack => ({
      name: `a user who comes back ${what}`,
      lies: comesBack(change),
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [ANY_STATE],
    }),
  ),
  ...ADDED.map(
    ([what, name]): Attack => ({
      name: `a user who comes back with ${what} beside the code`,
      lies: comesBack(parameters => parameters.set(name, 'x')),
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [ONLY_KNOWN],
    }),
  ),
  {
    name: 'a user who comes back with a code and an error',
    lies: comesBack(parameters => parameters.set('error', 'access_denied')),
    outcome: 'denied',
    check: ({ as }) => as.at('/token').length === 0,
    mutations: [ONLY_KNOWN],
  },
  {
    name: 'an error from another authorization server',
    lies: comesBack((parameters, { other }) => {
      parameters.set('error', 'access_denied');
      parameters.set('iss', other.url);
    }),
    outcome: 'response',
    mutations: [ANY_ISSUER],
    undefended: 'denied',
  },
  {
    name: 'an error with another state',
    lies: comesBack(parameters => {
      parameters.set('error', 'access_denied');
      parameters.set('state', 'another');
    }),
    outcome: 'response',
    mutations: [ANY_STATE],
    undefended: 'denied',
  },
  ...(['without', 'with an empty'] as const).map(
    (what): Attack => ({
      name: `a user who comes back ${what} code`,
      lies: comesBack(parameters =>
        what === 'without' ? parameters.delete('code') : parameters.set('code', ''),
      ),
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [ANY_CODE],
      undefended: 'token',
    }),
  ),
  {
    name: 'a user who comes back with two codes',
    lies: comesBack(parameters => parameters.append('code', 'another')),
    outcome: 'response',
    check: ({ as }) => as.at('/token').length === 0,
    mutations: [ANY_CODE],
    undefended: 'token',
  },
  {
    name: 'the code of somebody else, who began at the same authorization server',
    lies: world => {
      world.back = (callback, page) => {
        const own = new URL(page);
        own.searchParams.set('code_challenge', hashOf(VERIFIER));
        world.back = () => {};
        callback.searchParams.set('code', world.visit(own).searchParams.get('code') as string);
      };
    },
    outcome: 'denied',
    mutations: [{ file: FILE, from: 'pending.verifier,\n        {', to: `'${VERIFIER}',\n        {` }],
  },
  ...finishAttacks(),
];

/** Begins to sign in, and lets the user come back later. */
async function begin(library: Library, world: World) {
  const auth = library.signIn({ store: world.store, redirect: { uri: CALLBACK } });
  const begun = await ask(library, world, auth).catch(error => error);
  if (outcomeOf(begun) !== 'SignInRequired') throw begun;
  return { auth, page: begun.url as URL };
}

function finishAttacks(): Attack[] {
  return [
    {
      name: 'an address at which a user came back, used twice',
      async act(library, world) {
        const { auth, page } = await begin(library, world);
        const back = world.visit(page);
        await auth.finish(back);
        await auth.finish(back);
      },
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 1,
      mutations: [NOT_TAKEN],
    },
    {
      name: 'an address at which a user came back, used twice at once',
      async act(library, world) {
        const { auth, page } = await begin(library, world);
        const back = world.visit(page);
        const finished = await Promise.allSettled([auth.finish(back), auth.finish(back)]);
        for (const { reason } of finished as PromiseRejectedResult[]) if (reason) throw reason;
      },
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 1,
      mutations: [NOT_TAKEN],
    },
    {
      name: 'an address at which a user of another program came back',
      async act(library, world) {
        const { page } = await begin(library, world);
        const auth = library.signIn({ redirect: { uri: CALLBACK } });
        await auth.finish(world.visit(page));
      },
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [
        {
          file: FILE,
          from: 'if (!pending || pending.startedAt + PENDING_MS < Date.now()) {',
          to: 'if (!pending) return { serverUrl: "http://127.0.0.1:1", issuer: "http://127.0.0.1:1" } as Pending;\n    if (false) {',
        },
      ],
      undefended: 'ConnectionError',
    },
    {
      name: 'an address at which a user came back after hours',
      async act(library, world) {
        const { auth, page } = await begin(library, world);
        const key = `pending ${page.searchParams.get('state')}`;
        const { value, version } = (await world.store.get(key))!;
        const startedAt = Date.now() - 2 * 3600_000;
        await world.store.replace(key, JSON.stringify({ ...JSON.parse(value), startedAt }), version);
        await auth.finish(world.visit(page));
      },
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [{ file: FILE, from: 'pending.startedAt + PENDING_MS < Date.now()', to: 'false' }],
    },
    {
      name: 'an address with the state of nobody',
      async act(library, world) {
        const { auth } = await begin(library, world);
        await auth.finish(`${CALLBACK}?code=x&state=__proto__`);
      },
      outcome: 'response',
      mutations: [
        {
          file: FILE,
          from: 'if (!pending || pending.startedAt + PENDING_MS < Date.now()) {',
          to: 'if (false) {',
        },
      ],
      undefended: 'TypeError',
    },
    {
      name: 'a user who comes back later, from another authorization server',
      async act(library, world) {
        const { auth, page } = await begin(library, world);
        const back = world.visit(page);
        back.searchParams.set('iss', world.other.url);
        await auth.finish(back);
      },
      outcome: 'response',
      check: ({ as }) => as.at('/token').length === 0,
      mutations: [ANY_ISSUER],
    },
    {
      name: 'a user who comes back later, with the code of another sign-in',
      async act(library, world) {
        const first = await begin(library, world);
        const second = await begin(library, world);
        const back = world.visit(second.page);
        back.searchParams.set('state', first.page.searchParams.get('state') as string);
        await first.auth.finish(back);
      },
      outcome: 'denied',
      // The same verifier for everybody lets codes be exchanged for each other.
      mutations: [
        { file: FILE, from: 'verifier: generateRandomCodeVerifier(),', to: `verifier: '${VERIFIER}',` },
      ],
    },
  ];
}
