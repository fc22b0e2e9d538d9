import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { fileStore, signIn } from '../../../src/node/client/auth/index.js';
import { nodeHandler } from '../../../src/node/index.js';
import { jwt } from '../../../src/server/auth/index.js';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.js';
import { createFiles, open, protectFiles, REVISIONS, whoami } from './protected-files.js';
import { startFixture } from './run-fixture.js';
import { User } from './user.js';

const PROCESSES = 4;
const CALLS = 1000;
const EXPIRIES = 3;
const LIFETIME_SECONDS = 3;
/** Where other programs need the machine, too. */
const TIME_LIMIT_MS = 300_000;

it('refreshes once per expiry for 1,000 calls in each of 4 processes, and loses nothing', {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'credentials.json');
  const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
  const url = await serveMany(provider);
  const user = new User();
  const auth = signIn({ redirect: user, store: fileStore(path) });
  const first = await open(url, { auth });
  await whoami(first);
  const started = Array.from({ length: PROCESSES }, (_, i) =>
    Caller.start(url, path, REVISIONS[i % REVISIONS.length]!),
  );
  const callers = await Promise.all(started);

  const refreshes = () => provider.requests('refresh_token');
  while (refreshes().length < EXPIRIES) {
    await expiry(provider);
    const outcomes = await Promise.all(callers.map(caller => caller.call(CALLS)));
    expect(outcomes).toEqual(Array(PROCESSES).fill({ answered: CALLS, failures: [] }));
  }
  const [signedIn, ...later] = provider.tokenRequests;
  expect(later).toEqual(refreshes());
  let last = signedIn!;
  for (const refresh of later) {
    expect(refresh.status).toBe(200);
    // Each token is used once, and not before the access token that came with it has nine tenths of its life behind it.
    expect(refresh.form.refresh_token).toBe(last.answer.refresh_token);
    expect(refresh.askedAt).toBeGreaterThanOrEqual(last.answeredAt + LIFETIME_SECONDS * 900);
    last = refresh;
  }

  // All of them, and whoever comes next, have what was given last.
  for (const caller of callers) expect(await caller.call(1)).toEqual({ answered: 1, failures: [] });
  expect(await whoami(first)).toMatchObject({ subject: 'alice' });
  expect(await readFile(path, 'utf8')).toContain(provider.latest.refreshToken);
  expect(user.visits).toHaveLength(1);
});

/** A process that calls a tool when it is told to. */
class Caller {
  readonly #child: ChildProcess;

  static async start(url: string, path: string, revision: string): Promise<Caller> {
    const child = startFixture('caller.ts', [url, path, revision], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      if (child.connected) child.disconnect();
      await ended;
    });
    const caller = new Caller(child);
    await caller.#next();
    return caller;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  call(times: number): Promise<unknown> {
    const outcome = this.#next();
    this.#child.send(times);
    return outcome;
  }

  /** What it says next. */
  #next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (code: number | null) => reject(new Error(`a caller ended with ${code}`));
      this.#child.once('exit', fail);
      this.#child.once('message', message => {
        this.#child.off('exit', fail);
        resolve(message);
      });
    });
  }
}

/** Takes as many new connections at once as there are calls, and keeps them, for longer than servers do by default. */
async function serveMany(provider: IdentityProvider): Promise<string> {
  // The clients go by their own clocks. On a busy machine a call may wait here for longer than its token lives.
  const verify = jwt({ issuer: provider.issuer, clockSkewMs: 60_000 });
  const handler = nodeHandler(createFiles(), { auth: protectFiles(provider, { verify }) });
  const http = createServer({ keepAliveTimeout: TIME_LIMIT_MS }, handler);
  http.listen({ port: 0, host: '127.0.0.1', backlog: PROCESSES * CALLS });
  await once(http, 'listening');
  onTestFinished(async () => {
    await handler.close(0);
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

/** Resolves when the access token that was given last is of no use to anybody. */
async function expiry({ tokenRequests }: IdentityProvider): Promise<void> {
  const { answeredAt } = tokenRequests.at(-1)!;
  await pause(answeredAt + LIFETIME_SECONDS * 1000 - Date.now());
}
