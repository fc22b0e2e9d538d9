import { afterEach, describe, expect, test, vi } from 'vitest';
import { LEGACY } from '../../../revisions/index.js';
import { Ledger } from '../../ledger.js';
import { toHandshake } from '../../legacy/handshake.js';
import { ON_DEMAND } from '../../loading.js';
import { RunningCalls } from '../../running-calls.js';
import { createSeal, type Seal } from '../../seal/seal.js';
import { type HttpSession, Sessions } from './sessions.js';

const revision = LEGACY[0]!;

/**
 * Keeps texts readable, since cryptography would take most of the time here. As with a real seal, no two tokens
 * end alike.
 */
const openly: Seal = {
  seal: async (_purpose, _bound, text) => `${text}\n${crypto.randomUUID()}`,
  open: async (_purpose, _bound, token) => token.split('\n')[0],
};

function create(seal = openly): Sessions {
  return new Sessions(seal, new RunningCalls(), new Ledger(1024 ** 3), {
    noticeRates: {},
    claims: undefined,
    questionLayers: [],
    outgoing: (_, params) => params,
    warn() {},
    capabilities: () => ({}),
  });
}

async function open(sessions: Sessions): Promise<HttpSession> {
  const handshake = toHandshake(revision, { info: undefined, capabilities: {} }, {});
  const id = await sessions.mint(handshake, undefined);
  return (await sessions.find(id, undefined)) as HttpSession;
}

afterEach(() => {
  vi.useRealTimers();
});

/** Opens so many others that the earlier ones are no longer among those used lately. */
async function openOthers(sessions: Sessions, count = 10_240): Promise<HttpSession[]> {
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
    await openOthers(sessions, 12_000);
    expect(await isKept(sessions, session)).toBe(true);
  });

  test('is bounded: of more than twenty thousand the ones that were used longest ago go', async () => {
    const sessions = create();
    const all = await openOthers(sessions, 500);
    for (const session of all) session.logLevel = 'debug';
    for (let n = 0; n < 43; n++) {
      for (const session of await openOthers(sessions, 500)) session.logLevel = 'debug';
    }
    const [oldest] = all as [HttpSession];
    expect(await isKept(sessions, oldest)).toBe(false);
  });

  test('stays while a request runs, though others push', async () => {
    const sessions = create();
    const busy = await open(sessions);
    // A question loads its code first.
    await ON_DEMAND.get();
    busy.peer.request('ping', undefined, () => {}, { timeoutMs: 60_000 }).catch(() => {});
    for (let n = 0; n < 3; n++) {
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

describe('the id of a session', () => {
  test('finds it only as a whole, though its end is enough to tell it from others', async () => {
    const sessions = create(createSeal());
    const { id = '' } = await open(sessions);
    for (let at = 0; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
      expect(await sessions.find(changed, undefined), `character ${at}`).toBeUndefined();
      expect(await sessions.find(id.slice(at + 1), undefined), `from character ${at + 1}`).toBeUndefined();
    }
    expect((await sessions.find(id, undefined))?.id).toBe(id);
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

  test('never comes back, however many end after it; sessions in use go on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const sessions = create();
    const ended = await open(sessions);
    const inUse = await open(sessions);
    const forgotten = (await sessions.mint(ended.handshake, undefined)) as string;
    sessions.end(ended);
    vi.advanceTimersByTime(1000);
    for (let n = 0; n <= 100_000; n++)
      sessions.end({ serial: `session ${n}`, issuedAt: Date.now() } as HttpSession);
    expect(await sessions.find(ended.id as string, undefined)).toBeUndefined();
    expect(await sessions.find(inUse.id as string, undefined)).toBe(inUse);
    // It cannot be told from an ended one any more.
    expect(await sessions.find(forgotten, undefined)).toBeUndefined();
    vi.advanceTimersByTime(1000);
    expect(await isKept(sessions, await open(sessions))).toBe(true);
  });
});
