import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Seal } from '../eras/seal.js';
import { LEGACY } from '../revisions/index.js';
import { type HttpSession, Sessions } from './sessions.js';

const revision = LEGACY[0]!;

/** Keeps values readable, since cryptography would take most of the time here. */
const openly: Seal = {
  seal: async (_purpose, _bound, value) => JSON.stringify(value),
  open: async (_purpose, _bound, token) => JSON.parse(token),
};

function create(): Sessions {
  return new Sessions(openly, 'test');
}

async function open(sessions: Sessions): Promise<HttpSession> {
  const id = await sessions.mint({ revision, client: { info: undefined, capabilities: {} } }, undefined);
  return (await sessions.find(id, undefined)) as HttpSession;
}

afterEach(() => {
  vi.useRealTimers();
});

/** Opens so many others that the earlier ones are no longer among those used lately. */
async function openOthers(sessions: Sessions, count = 1000): Promise<HttpSession[]> {
  return Promise.all(Array.from({ length: count }, () => open(sessions)));
}

async function isKept(sessions: Sessions, session: HttpSession): Promise<boolean> {
  return (await sessions.find(session.id as string, undefined)) === session;
}

describe('what is kept of a session', () => {
  test('is nothing once others were used, while it has nothing to lose', async () => {
    const sessions = create();
    const session = await open(sessions);
    expect(await isKept(sessions, session)).toBe(true);
    await openOthers(sessions);
    expect(await isKept(sessions, session)).toBe(false);
  });

  test('is what it has to lose, however many others come after it', async () => {
    const sessions = create();
    const session = await open(sessions);
    session.logLevel = 'debug';
    await openOthers(sessions, 3000);
    expect(await isKept(sessions, session)).toBe(true);
  });

  test('is bounded: of more than ten thousand the ones that were used longest ago go', async () => {
    const sessions = create();
    const all = await openOthers(sessions, 500);
    for (const session of all) session.logLevel = 'debug';
    for (let n = 0; n < 23; n++) {
      for (const session of await openOthers(sessions, 500)) session.logLevel = 'debug';
    }
    const [oldest] = all as [HttpSession];
    expect(await isKept(sessions, oldest)).toBe(false);
  });

  test('stays while a request runs, though others push', async () => {
    const sessions = create();
    const busy = await open(sessions);
    busy.peer.request('ping', undefined, () => {}, { timeout: 60_000 }).catch(() => {});
    for (let n = 0; n < 12; n++) {
      for (const session of await openOthers(sessions)) session.logLevel = 'debug';
    }
    expect(await isKept(sessions, busy)).toBe(true);
    busy.peer.close(new Error('over'));
  });

  test('goes after half an hour without use', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const sessions = create();
    const idle = await open(sessions);
    idle.logLevel = 'debug';
    const others = await openOthers(sessions);
    for (const other of others) other.logLevel = 'debug';
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await openOthers(sessions, 1);
    expect(await isKept(sessions, idle)).toBe(false);
  });

  test('is the same object for requests that open it at the same time', async () => {
    const [here, there] = [create(), create()];
    const { id } = await open(here);
    const found = await Promise.all(Array.from({ length: 5 }, () => there.find(id as string, undefined)));
    expect(new Set(found).size).toBe(1);
  });
});

describe('a session that was ended', () => {
  test('stays ended, though it is used again at once', async () => {
    const sessions = create();
    const session = await open(sessions);
    sessions.end(session);
    session.logLevel = 'debug';
    expect(await sessions.find(session.id as string, undefined)).toBeUndefined();
  });
});
