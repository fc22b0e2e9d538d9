import { vi } from 'vitest';
import type { CredentialStore } from '../../../../src/client/auth/store.js';
import { type Attack, ask, Lost } from './attack.js';
import type { Library, Mutation } from './mutants.js';
import type { Reply } from './party.js';
import type { World } from './world.js';

const SHARED = 'client/auth/shared-tokens.ts';
const AUTHORIZATION = 'client/auth/authorization.ts';

/** Who fails to get new tokens forgets the old ones. */
const FORGETS: Mutation = {
  file: SHARED,
  from: 'await this.#write(this.#tokens && JSON.stringify({ tokens: this.#tokens })).catch(() => {});',
  to: 'await this.#write(undefined).catch(() => {});',
};
/** Every refusal ends a refresh token. */
const SPENT_AT_ONCE: Mutation = {
  file: AUTHORIZATION,
  from: 'if (!(error instanceof GrantRefused) || !SPENT.includes(error.code)) throw error;',
  to: 'if (error) return undefined;',
};

/** Signs in, and lets the tokens end at once, so that the next request needs new ones. */
async function signInOnce(library: Library, world: World): Promise<ReturnType<Library['signIn']>> {
  world.give = tokens => {
    tokens.expires_in = 0;
    world.give = () => {};
  };
  const auth = library.signIn(world.signInOptions);
  // With the first request the tokens are got, with the second they are renewed.
  const authorizer = auth.authorizer(world.serverUrl);
  const admission = authorizer.begin({ method: 'POST', url: world.serverUrl });
  const header = (name: string) => (name === 'www-authenticate' ? (world.challenge as string) : undefined);
  await admission.headers();
  await admission.refused({ status: 401, header });
  return auth;
}

async function storedTokens({ store, serverUrl }: World) {
  const stored = await store.get(`tokens ${serverUrl}`);
  return stored ? JSON.parse(stored.value).tokens : undefined;
}

/** Has trouble with renewing tokens; afterwards everything is as before. */
async function throughTrouble(library: Library, world: World, trouble: () => () => void): Promise<void> {
  const auth = await signInOnce(library, world);
  const before = await storedTokens(world);
  const end = trouble();
  const failure = await ask(library, world, auth).then(
    () => undefined,
    error => error,
  );
  end();
  if (!failure) throw new Error('there was no trouble');
  const after = await storedTokens(world);
  if (after?.refreshToken !== before?.refreshToken) throw new Lost('the credentials');
  await ask(library, world, auth);
}

const TROUBLES: [what: string, reply: Reply][] = [
  ['breaks the connection', 'reset'],
  ['has an error', { status: 500 }],
  ['has an error and says so', { status: 500, body: { error: 'invalid_grant' } }],
  ['is not there', { status: 503, body: { error: 'temporarily_unavailable' } }],
  ['says that it is not there', { status: 400, body: { error: 'temporarily_unavailable' } }],
  ['is too busy', { status: 429, body: { error: 'slow_down' } }],
  ['shows a page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }],
  ['shows a page as JSON', { body: '<!doctype html>' }],
  ['sends half an answer', { body: '{"access_token":"x"' }],
  ['sends nothing', { status: 204 }],
  ['sends a list', { body: [] }],
  ['sends an empty object', { body: {} }],
  ['wants something else', { status: 400, body: { error: 'invalid_request' } }],
  ['does not find itself', { status: 404 }],
  ['redirects', { status: 307, headers: { location: '/elsewhere' } }],
  ['packs its answer', { headers: { 'content-encoding': 'gzip' }, body: '{}' }],
  ['sends too much', { body: ' '.repeat(2 * 1024 * 1024) }],
];

export const RENEWAL_ATTACKS: Attack[] = [
  ...TROUBLES.flatMap(([what, reply]): Attack[] =>
    [FORGETS, SPENT_AT_ONCE].map(mutation => ({
      name: `a token endpoint that ${what}, so that ${mutation === FORGETS ? 'credentials are lost' : 'the user has to sign in again'}`,
      act: (library, world) =>
        throughTrouble(library, world, () => {
          const honest = world.as.routes.get('POST /token')!;
          world.as.routes.set('POST /token', received =>
            received.form.has('refresh_token') ? reply : honest(received),
          );
          return () => world.as.routes.set('POST /token', honest);
        }),
      outcome: 'works',
      check: ({ visits }) => visits.length === 1,
      mutations: [mutation],
      undefended: mutation === FORGETS ? 'Lost' : ({ visits }) => visits.length > 1,
    })),
  ),
  {
    name: 'a token endpoint that never answers',
    async act(library, world) {
      const auth = await signInOnce(library, world);
      const honest = world.as.routes.get('POST /token')!;
      const isAsked = new Promise<void>(resolve => {
        world.as.routes.set('POST /token', () => {
          resolve();
          return 'hang';
        });
      });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const asking = ask(library, world, auth);
        let isOver = false;
        const outcome = asking.catch(error => error).finally(() => (isOver = true));
        await isAsked;
        await vi.advanceTimersByTimeAsync(10_000);
        for (let turn = 0; turn < 50 && !isOver; turn++) await new Promise(setImmediate);
        if (!isOver) throw new Lost('time');
        if ((await outcome)?.problem !== 'document') throw await outcome;
      } finally {
        vi.useRealTimers();
      }
      world.as.routes.set('POST /token', honest);
      await ask(library, world, auth);
    },
    outcome: 'works',
    check: ({ visits }) => visits.length === 1,
    mutations: [
      {
        file: 'client/auth/guarded-fetch.ts',
        from: 'const TIME_LIMIT_MS = 10_000;',
        to: 'const TIME_LIMIT_MS = 100_000;',
      },
    ],
    undefended: 'Lost',
  },
  ...(['invalid_grant', 'invalid_client', 'unauthorized_client'] as const).map(
    (error): Attack => ({
      name: `a token endpoint that refuses a refresh token for ever, with ${error}`,
      async act(library, world) {
        const auth = await signInOnce(library, world);
        const honest = world.as.routes.get('POST /token')!;
        world.as.routes.set('POST /token', received =>
          received.form.has('refresh_token') ? { status: 400, body: { error } } : honest(received),
        );
        await ask(library, world, auth);
      },
      outcome: 'works',
      check: ({ visits }) => visits.length === 2,
      mutations: [{ file: AUTHORIZATION, from: '!SPENT.includes(error.code)', to: 'true' }],
      undefended: 'denied',
    }),
  ),
  {
    name: 'a token endpoint that does not give another refresh token',
    async act(library, world) {
      const auth = await signInOnce(library, world);
      world.give = tokens => {
        delete tokens.refresh_token;
      };
      await ask(library, world, auth);
      if ((await storedTokens(world)).refreshToken === undefined) throw new Lost('the refresh token');
    },
    outcome: 'works',
    check: ({ visits }) => visits.length === 1,
    mutations: [
      {
        file: AUTHORIZATION,
        from: 'return { refreshToken, ...(old.granted && { granted: old.granted }), ...renewed };',
        to: 'return renewed;',
      },
    ],
    undefended: 'Lost',
  },
  {
    name: 'a token endpoint that keeps one process waiting until another has new tokens, and then refuses it',
    async act(library, world) {
      const auth = await signInOnce(library, world);
      const key = `tokens ${world.serverUrl}`;
      const honest = world.as.routes.get('POST /token')!;
      world.as.routes.set('POST /token', async () => {
        world.as.routes.set('POST /token', honest);
        // Another process has waited long enough.
        const { value, version } = (await world.store.get(key))!;
        const { tokens } = JSON.parse(value);
        const winner = { ...tokens, accessToken: 'of-the-winner', refreshToken: 'of-the-winner' };
        await world.store.replace(key, JSON.stringify({ tokens: winner }), version);
        return { status: 500 };
      });
      await ask(library, world, auth).catch(() => {});
      const { accessToken } = await storedTokens(world);
      if (accessToken !== 'of-the-winner') throw new Lost('the tokens of the winner');
    },
    outcome: 'works',
    mutations: [
      {
        file: SHARED,
        from: 'this.#version !== undefined && (await this.#store.replace(this.#key, value, this.#version));',
        to: 'await this.#store.replace(this.#key, value, (await this.#store.get(this.#key))?.version);',
      },
    ],
    undefended: 'Lost',
  },
  ...storeAttacks(),
];

/** A store that does not work. */
function storeAttacks(): Attack[] {
  const failing = ({ store }: World, method: keyof CredentialStore) => {
    const honest = store[method] as (key: string, ...rest: unknown[]) => unknown;
    const fail = (key: string, ...rest: unknown[]) => {
      if (key.startsWith('tokens')) throw new Error('the disk is gone');
      return honest(key, ...rest);
    };
    Object.assign(store, { [method]: fail });
    return () => void Object.assign(store, { [method]: honest });
  };
  return [
    {
      name: 'a store that cannot be read when tokens are to be renewed',
      act: (library, world) => throughTrouble(library, world, () => failing(world, 'get')),
      outcome: 'works',
      check: ({ visits }) => visits.length === 1,
      mutations: [
        {
          file: SHARED,
          from: 'const { entry, version } = await this.#read();\n      const { tokens, lease } = entry;',
          to: 'const read = await this.#read().catch(() => undefined);\n      if (!read) return obtain(undefined);\n      const { entry, version } = read;\n      const { tokens, lease } = entry;',
        },
      ],
      undefended: ({ visits }) => visits.length > 1,
    },
    {
      name: 'a store that cannot be read for the first time',
      async act(library, world) {
        const repair = failing(world, 'get');
        const auth = library.signIn(world.signInOptions);
        await ask(library, world, auth).then(
          () => Promise.reject(new Error('there was no trouble')),
          () => {},
        );
        repair();
        await ask(library, world, auth);
      },
      outcome: 'works',
      mutations: [
        {
          file: AUTHORIZATION,
          from: 'this.#loading ??= this.#tokens.load().finally(() => {\n        this.#loading = undefined;\n      });',
          to: 'this.#loading ??= this.#tokens.load();',
        },
      ],
      undefended: 'CannotConnect',
    },
    {
      name: 'a store that cannot be written when tokens are to be renewed',
      act: (library, world) => throughTrouble(library, world, () => failing(world, 'replace')),
      outcome: 'works',
      check: ({ visits, as }) => visits.length === 1 && as.at('/token').length === 2,
      // Without a claim, two may use one refresh token.
      mutations: [
        {
          file: SHARED,
          from: 'if (!(await store.replace(key, value, version))) return undefined;',
          to: 'try { await store.replace(key, value, version); } catch {}',
        },
        {
          file: SHARED,
          from: 'return stored?.value === value ? new Claim(store, key, tokens, stored.version) : undefined;',
          to: "return new Claim(store, key, tokens, stored?.version ?? '');",
        },
      ],
      // It went on without one.
      undefended: 'Error',
    },
    {
      name: 'a store that cannot be written when there are new tokens',
      async act(library, world) {
        const auth = await signInOnce(library, world);
        let repair = () => {};
        const honest = world.as.routes.get('POST /token')!;
        world.as.routes.set('POST /token', received => {
          repair = failing(world, 'replace');
          return honest(received);
        });
        await ask(library, world, auth);
        await ask(library, world, auth);
        repair();
      },
      outcome: 'works',
      check: ({ visits, as, warnings }) =>
        visits.length === 1 && as.at('/token').length === 2 && warnings.length > 0,
      mutations: [
        {
          file: SHARED,
          from: 'this.#warn(`the new tokens are in use, but could not be stored: ${(error as Error).message}`);',
          to: 'throw error;',
        },
      ],
      undefended: 'CannotConnect',
    },
    ...['', 'x', '[]', 'null', '"x"', '{"tokens":1}', '{"tokens":{}}', '{"tokens":{"accessToken":1}}'].map(
      (value): Attack => ({
        name: `a store with ${value || 'nothing'} in place of tokens`,
        async act(library, world) {
          await world.store.replace(`tokens ${world.serverUrl}`, value, undefined);
          await ask(library, world, library.signIn(world.signInOptions));
        },
        outcome: 'store',
        check: ({ visits, mcp }) => visits.length === 0 && mcp.received.length === 0,
        mutations: [
          {
            file: SHARED,
            from: 'function readEntry(value: string): Entry {',
            to: 'function readEntry(value: string): Entry {\n  if (value.length < 30) return {};',
          },
        ],
      }),
    ),
    ...['x secret-of-the-client', '[]', 'null', '{}'].map(
      (value): Attack => ({
        name: `a store with ${value} in place of a registration`,
        async act(library, world) {
          await world.store.replace(`client ${world.as.url}`, value, undefined);
          await ask(library, world, library.signIn(world.signInOptions));
        },
        outcome: 'works',
        mutations: [
          {
            file: 'client/auth/registration.ts',
            from: 'function readRegistered(value: string): Registered | undefined {',
            to: 'function readRegistered(value: string): Registered | undefined {\n  throw new SyntaxError(value);',
          },
        ],
        undefended: 'CannotConnect',
      }),
    ),
  ];
}
