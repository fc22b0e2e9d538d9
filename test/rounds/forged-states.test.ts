import { afterEach, describe, expect, it, vi } from 'vitest';
import { nodeCipher } from '../../src/node/server/cipher.js';
import type { StateOwner } from '../../src/server/modern/request-state.js';
import { webCipher } from '../../src/server/seal/web-cipher.js';
import {
  collect,
  createTarget,
  Dice,
  type Forgery,
  opens,
  randomForgeries,
  type Sealed,
  systematicForgeries,
} from './forgery.js';

// Every systematic forgery (36,478 of them) is tried by half of these; `npm run test:long` tries a million.
const COUNT = Number(process.env.FORGED_STATES ?? 75_000);
const SEED = Number(process.env.FORGED_SEED ?? 20260728);
/** How many are tried at the same time; each waits for a thread that does the cryptography. */
const AT_ONCE = 500;

afterEach(() => vi.useRealTimers());

/** A token that is good for an owner, so that it is no forgery if a change leads back to it. */
function createCheck(sealed: readonly Sealed[]): (forgery: Forgery) => boolean {
  const key = (owner: StateOwner, token: string) => `${JSON.stringify(owner)} ${token}`;
  const good = new Set(sealed.filter(({ isGood }) => isGood).map(({ owner, token }) => key(owner, token)));
  return ({ owner, token }) => good.has(key(owner, token));
}

/** Both by turns, so that a small number tries every way, too. */
function* inTurn(some: Generator<Forgery>, endless: Generator<Forgery>): Generator<Forgery> {
  for (const forgery of endless) {
    const { value } = some.next();
    if (value) yield value as Forgery;
    yield forgery;
  }
}

describe.each([
  ['WebCrypto', webCipher, nodeCipher],
  ['the cryptography of node', nodeCipher, webCipher],
])('with %s, a state that the server has not made for the request', (_, cipher, otherCipher) => {
  // covers: 2026-07-28/elicitation/state-is-protected, 2026-07-28/mrtr/state-is-not-trusted
  it(`never opens: ${COUNT} forgeries`, { timeout: 1_800_000 }, async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const target = createTarget(cipher);
    // What one cipher seals, the other opens: nodes need not be alike.
    const sealed = await collect(target, otherCipher, time => vi.setSystemTime(time));
    const isGood = createCheck(sealed);
    const tried = new Map<string, number>();
    const opened: Forgery[] = [];
    let count = 0;
    let batch: Promise<void>[] = [];

    const attempt = async (forgery: Forgery) => {
      if (await opens(target, forgery)) opened.push(forgery);
    };
    for (const forgery of inTurn(systematicForgeries(sealed), randomForgeries(sealed, new Dice(SEED)))) {
      if (count >= COUNT) break;
      if (isGood(forgery)) continue;
      count++;
      tried.set(forgery.how, (tried.get(forgery.how) ?? 0) + 1);
      batch.push(attempt(forgery));
      if (batch.length < AT_ONCE) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);

    expect(opened).toEqual([]);
    expect(count).toBe(COUNT);
    // Not before, because the target forgets what came back; each is good as it is.
    for (const { owner, token, isGood } of sealed) {
      expect(await opens(target, { how: 'as it is', owner, token })).toBe(isGood);
    }
    expect([...tried.keys()].sort()).toEqual([
      'a beginning',
      'a splice of two',
      'a stretch of noise',
      'an end',
      'an old, foreign or misdirected state',
      'another character',
      'head, IV and text of three',
      'one bit',
      'parts of two',
      'some bits',
      'the state of another request',
    ]);
  });
});
