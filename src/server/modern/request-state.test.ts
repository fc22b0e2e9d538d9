import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JournalEntry } from '../rounds/journal.js';
import { createSeal } from '../seal/seal.js';
import type { ByHand } from './by-hand.js';
import { createRequestStates, type StateOwner } from './request-state.js';

const KEY = 'a key of at least thirty-two bytes, for tests';
const states = createRequestStates(createSeal([KEY]));

const OWNER: StateOwner = {
  method: 'tools/call',
  params: { name: 'reserve', arguments: { restaurant: 'Chez Nous', guests: 2 } },
  caller: { principal: 'ada' },
};

afterEach(() => vi.useRealTimers());

describe('the state of a request', () => {
  it('opens with what was sealed, and tells until when it is good', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
    const journal: JournalEntry[] = [
      { q: 'pin', l: 'How many?', a: { action: 'accept', content: { guests: 2 } } },
      { s: 'hold', d: 1, r: [{ table: 4 }] },
    ];
    const asked: ByHand[] = [['first', { action: 'decline' }], ['second']];
    const state = { requestId: 'r', passes: 0, round: 3, journal, own: 'mine', asked };
    const token = await states.seal(OWNER, state);
    expect(await states.open(OWNER, token)).toEqual({
      ...state,
      id: token.slice(0, 32),
      expiresAt: 1000 + 600_000,
    });
  });

  it('opens with any journal, for any request', async () => {
    const owners = fc.record({
      method: fc.string(),
      params: fc.dictionary(fc.string(), fc.jsonValue()),
      caller: fc.option(fc.record({ principal: fc.string() }), { nil: undefined }),
    });
    const journals = fc.array(
      fc.oneof(
        fc.record({ s: fc.string(), d: fc.constant(1 as const), r: fc.jsonValue() }),
        fc.record({ q: fc.string(), l: fc.string() }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(owners, journals, async (owner, journal) => {
        const opened = await states.open(
          owner as StateOwner,
          await states.seal(owner as StateOwner, { requestId: 'r', passes: 0, round: 1, journal }),
        );
        expect(opened.journal).toEqual(JSON.parse(JSON.stringify(journal)));
      }),
      { numRuns: 200 },
    );
  });

  it('has an id of its own, even if everything else is equal', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 100 }, () =>
        states.seal(OWNER, { requestId: 'r', passes: 0, round: 1, journal: [] }),
      ),
    );
    const ids = await Promise.all(tokens.map(async token => (await states.open(OWNER, token)).id));
    expect(new Set(ids).size).toBe(100);
  });

  it('does not depend on what belongs to the round or to the request itself', async () => {
    const token = await states.seal(OWNER, { requestId: 'r', passes: 0, round: 1, journal: [] });
    const again = { ...OWNER.params, _meta: { progressToken: 1 }, inputResponses: {}, requestState: token };
    expect((await states.open({ ...OWNER, params: again }, token)).round).toBe(1);
  });

  const others: [string, Partial<StateOwner>][] = [
    ['another method', { method: 'prompts/get' }],
    ['another tool', { params: { ...OWNER.params, name: 'cancel' } }],
    ['other arguments', { params: { name: 'reserve', arguments: { restaurant: 'Chez Nous', guests: 3 } } }],
    ['no arguments', { params: { name: 'reserve' } }],
    ['more parameters', { params: { ...OWNER.params, extra: 1 } }],
    ['another user', { caller: { principal: 'eve' } }],
    ['nobody', { caller: undefined }],
  ];

  it.each(others)('does not open for %s', async (_, other) => {
    const token = await states.seal(OWNER, { requestId: 'r', passes: 0, round: 1, journal: [] });
    await expect(async () => states.open({ ...OWNER, ...other }, token)).rejects.toMatchObject({
      code: -32602,
      message: 'requestState is not valid for this request; start again without it',
    });
  });

  it('cannot be confused by parts that read the same together', async () => {
    const owner = (principal: string | undefined, method: string): StateOwner => ({
      method,
      params: {},
      caller: principal === undefined ? undefined : { principal },
    });
    const token = await states.seal(owner('a', 'b'), { requestId: 'r', passes: 0, round: 1, journal: [] });
    for (const other of [owner('a","b', ''), owner(undefined, 'a,b'), owner('', 'ab'), owner('null', 'b')]) {
      await expect(async () => states.open(other, token)).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('is not made if it is too large, packed or unpacked', async () => {
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(60_000)), byte =>
      String.fromCharCode(32 + (byte % 90)),
    ).join('');
    const sealWith = async (r: string) =>
      states.seal(OWNER, { requestId: 'r', passes: 0, round: 1, journal: [{ s: 'x', d: 1, r }] });
    expect((await sealWith(noise.slice(0, 30_000))).length).toBeLessThan(64 * 1024);
    await expect(sealWith(noise)).rejects.toThrow(/more than the limit of 65536 bytes; .* ctx\.step/);
    await expect(sealWith('a'.repeat(262_144))).rejects.toThrow(
      /more than the limit of 262144 bytes; .* ctx\.step/,
    );
  });
});
