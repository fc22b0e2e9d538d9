import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CredentialStore, SignIn } from '../../../src/client/auth/index.js';
import { fileStore, memoryStore, SignInRequired, signIn } from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { World } from './attacks/world.js';
import { startIdentityProvider } from './identity-provider.js';
import { callAtOnce, open, REVISIONS, serveFiles, whoami } from './protected-files.js';
import { User } from './user.js';

const URI = 'https://app.example/callback';

/** Stores as several processes of an app see them. */
const STORES: [string, () => Promise<() => CredentialStore>][] = [
  [
    'memory',
    async () => {
      const store = memoryStore();
      return () => store;
    },
  ],
  [
    'a file',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tenon-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      return () => fileStore(join(folder, 'credentials.json'));
    },
  ],
];

/** Where a user has to go before a client can connect. */
async function pageFor(auth: SignIn, url: string, revision: string): Promise<URL> {
  const outcome = await open(url, { revision, auth }).catch(error => error);
  expect(outcome).toBeInstanceOf(SignInRequired);
  return outcome.url;
}

describe.each(REVISIONS)('an app that speaks %s, and keeps what it has to in', revision => {
  describe.each(STORES)('%s', (_, share) => {
    const start = async () => {
      const provider = await startIdentityProvider();
      const url = await serveFiles(provider);
      const newStore = await share();
      const newProcess = () => signIn({ redirect: { uri: URI }, store: newStore() });
      return { provider, url, newProcess };
    };

    it('lets another process finish what one began, and both have access', async () => {
      const { provider, url, newProcess } = await start();
      const [first, second] = [newProcess(), newProcess()];
      const page = await pageFor(first, url, revision);
      expect(page.searchParams.get('redirect_uri')).toBe(URI);

      const back = await new User('ada').visit(page);
      expect(back.href.startsWith(`${URI}?`)).toBe(true);
      await second.finish(back);
      for (const auth of [first, second, newProcess()]) {
        expect(await whoami(await open(url, { revision, auth }))).toMatchObject({ subject: 'ada' });
      }
      expect(provider.tokenRequests).toHaveLength(1);
      expect(provider.registrations).toHaveLength(1);
    });

    it('takes each address at which a user comes back once', async () => {
      const { provider, url, newProcess } = await start();
      const auth = newProcess();
      const back = await new User().visit(await pageFor(auth, url, revision));
      const outcomes = await Promise.allSettled([auth.finish(back), newProcess().finish(back.href)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await expect(auth.finish(back)).rejects.toMatchObject({ problem: 'response' });
      expect(provider.tokenRequests).toHaveLength(1);
      expect(await whoami(await open(url, { revision, auth }))).toMatchObject({ subject: 'alice' });
    });

    it('asks the user again after it has signed out', async () => {
      const { provider, url, newProcess } = await start();
      const auth = newProcess();
      const user = new User();
      await auth.finish(await user.visit(await pageFor(auth, url, revision)));
      const client = await open(url, { revision, auth });
      await whoami(client);
      await auth.signOut(url);
      await expect(whoami(client)).rejects.toBeInstanceOf(SignInRequired);
      await auth.finish(await user.visit(await pageFor(newProcess(), url, revision)));
      expect(await whoami(client)).toMatchObject({ subject: 'alice' });
      expect(provider.registrations).toHaveLength(1);
    });
  });

  it('memory, sends the user once to a page for many calls at once', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const pages: URL[] = [];
    const auth = signIn({ redirect: { uri: URI, open: page => pages.push(page) } });
    const page = await pageFor(auth, url, revision);
    await auth.finish(await new User().visit(page));
    const client = await open(url, { revision, auth });
    await auth.signOut(url);
    await expect(callAtOnce(client, 'whoami', 20)).rejects.toBeInstanceOf(SignInRequired);
    expect(pages).toHaveLength(2);
    expect(pages[0]?.href).toBe(page.href);
  });

  it('memory, is told that the user said no', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const auth = signIn({ redirect: { uri: URI } });
    const user = new User();
    user.agrees = false;
    const back = await user.visit(await pageFor(auth, url, revision));
    await expect(auth.finish(back)).rejects.toMatchObject({ problem: 'denied' });
    expect(provider.tokenRequests).toEqual([]);
  });

  it('memory, keeps accounts of the same server apart', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const store = memoryStore();
    const [ada, grace] = ['ada', 'grace'].map(account => signIn({ redirect: { uri: URI }, store, account }));
    for (const [name, auth] of [
      ['ada', ada!],
      ['grace', grace!],
    ] as const) {
      await auth.finish(await new User(name).visit(await pageFor(auth, url, revision)));
    }
    expect(await whoami(await open(url, { revision, auth: ada! }))).toMatchObject({ subject: 'ada' });
    expect(await whoami(await open(url, { revision, auth: grace! }))).toMatchObject({ subject: 'grace' });
  });
});

it('a user may come back before `open` has ended', async () => {
  const world = await new World().start();
  onTestFinished(() => world.stop());
  const open = async (page: URL): Promise<void> => auth.finish(world.visit(page));
  const auth = signIn({ redirect: { uri: URI, open } });
  await expect(connect(world.serverUrl, { auth })).rejects.toBeInstanceOf(SignInRequired);
  const client = await connect(world.serverUrl, { auth });
  onTestFinished(() => client.close());
  expect(await client.tools()).toEqual([]);
  expect(world.visits).toHaveLength(1);
});

it('sign-ins that no user comes back from are forgotten, the oldest first, when they are too large together', async () => {
  const world = await new World().start();
  onTestFinished(() => world.stop());
  // Each address is nearly as long as it may be.
  world.resource.scopes_supported = ['x'.repeat(30_000)];
  const stored = new Map<string, number>();
  const memory = memoryStore();
  const store: CredentialStore = {
    get: key => memory.get(key),
    async replace(key, value, expected) {
      const isDone = await memory.replace(key, value, expected);
      if (isDone && value === undefined) stored.delete(key);
      else if (isDone && key.startsWith('pending ')) stored.set(key, (value as string).length);
      return isDone;
    },
  };
  const auth = signIn({ redirect: { uri: URI }, client: { id: 'known' }, store });
  const states: string[] = [];
  for (let n = 0; n < 145; n++) {
    const { url } = await connect(world.serverUrl, { auth, revision: '2026-07-28' }).catch(error => error);
    states.push(url.searchParams.get('state'));
  }
  const kept = [...stored.keys()];
  expect(kept.length).toBeGreaterThan(100);
  expect(kept).toEqual(states.slice(-kept.length).map(state => `pending ${state}`));
  expect([...stored.values()].reduce((sum, size) => sum + size)).toBeLessThanOrEqual(4 * 1024 * 1024);
});
