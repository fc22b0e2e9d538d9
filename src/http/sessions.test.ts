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

describe('what is kept of a session', () => {
  test('is nothing while it has nothing to lose', async () => {
    const sessions = create();
    const session = await open(sessions);
    sessions.settle(session);
    expect([...sessions.live()]).toEqual([]);
    session.logLevel = 'debug';
    sessions.settle(session);
    expect([...sessions.live()]).toEqual([session]);
  });

  test('is what it has to lose, however many others come after it', async () => {
    const sessions = create();
    const session = await open(sessions);
    session.logLevel = 'debug';
    sessions.settle(session);
    for (let n = 0; n < 1100; n++) await open(sessions);
    expect(await sessions.find(session.id as string, undefined)).toBe(session);
  });

  test('is bounded: of more than ten thousand the ones that were used longest ago go', async () => {
    const sessions = create();
    const all = await Promise.all(Array.from({ length: 10_010 }, () => open(sessions)));
    for (const session of all) {
      session.logLevel = 'debug';
      sessions.settle(session);
    }
    const live = new Set(sessions.live());
    expect(live.size).toBe(10_000);
    expect(all.slice(0, 10).some(session => live.has(session))).toBe(false);
  });

  test('stays while a request runs, though others push', async () => {
    const sessions = create();
    const all = await Promise.all(Array.from({ length: 10_010 }, () => open(sessions)));
    const [busy] = all as [HttpSession];
    busy.peer.request('ping', undefined, () => {}, { timeout: 60_000 }).catch(() => {});
    for (const session of all) {
      session.logLevel = 'debug';
      sessions.settle(session);
    }
    expect(new Set(sessions.live()).has(busy)).toBe(true);
    busy.peer.close(new Error('over'));
  });

  test('goes after half an hour without use', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const sessions = create();
    const [idle, used] = [await open(sessions), await open(sessions)];
    for (const session of [idle, used]) {
      session.logLevel = 'debug';
      sessions.settle(session);
    }
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await sessions.find(used.id as string, undefined);
    sessions.settle(used);
    expect([...sessions.live()]).toEqual([used]);
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
    sessions.settle(session);
    expect([...sessions.live()]).toEqual([]);
    expect(await sessions.find(session.id as string, undefined)).toBeUndefined();
  });
});
