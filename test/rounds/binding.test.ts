import { afterEach, describe, expect, it, vi } from 'vitest';
import { McpError, type Server } from '../../src/server/index.js';
import type { RawClientOptions } from '../raw-client.js';
import { accepted, askText, INVALID_STATE, serveAsking } from './asking.js';

const KEY = 'a key of at least thirty-two bytes, for tests';
const OTHER_KEY = 'another key of at least thirty-two bytes';

const ask = (options?: Parameters<typeof serveAsking>[1]) =>
  serveAsking(async ctx => `answered ${await askText(ctx, 'q')}`, options);

afterEach(() => vi.useRealTimers());

describe('a state that was changed on its way is refused', () => {
  // covers: 2026-07-28/mrtr/state-integrity-is-protected, 2026-07-28/mrtr/state-is-not-trusted
  // covers: 2026-07-28/mrtr/state-that-fails-is-rejected
  it('at every place, for every other character', async () => {
    const first = await (await ask()).call();
    const { state } = first;
    for (let at = 0; at < state.length; at++) {
      const other = state[at] === 'A' ? 'B' : 'A';
      const changed = state.slice(0, at) + other + state.slice(at + 1);
      expect((await first.retryWith(changed)).error, `character ${at}`).toEqual(INVALID_STATE);
    }
  });

  it('in every bit of every byte', async () => {
    const first = await (await ask()).call();
    const bytes = Buffer.from(first.state, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      const { error } = await first.retryWith(changed.toString('base64url'));
      expect(error, `bit ${bit}`).toEqual(INVALID_STATE);
    }
  });

  it('by cutting it anywhere, or adding to it', async () => {
    const first = await (await ask()).call();
    const cuts = Array.from({ length: first.state.length }, (_, length) => first.state.slice(0, length));
    const longer = ['A', '=', ' ', first.state].map(more => first.state + more);
    for (const state of [...cuts, ...cuts.map(cut => first.state.slice(cut.length + 1)), ...longer]) {
      expect((await first.retryWith(state)).error).toEqual(INVALID_STATE);
    }
  });

  it('and the good one still opens', async () => {
    const first = await (await ask()).call();
    await first.retryWith(`${first.state}A`);
    expect((await first.answer({ q: 'A' })).text).toBe('answered A');
  });
});

describe('a state opens only', () => {
  // covers: 2026-07-28/mrtr/state-expires
  it('for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const first = await (await ask()).call();
    vi.setSystemTime(1_000_000 + 10 * 60_000);
    expect((await first.answer({ q: 'A' })).text).toBe('answered A');
    vi.setSystemTime(1_000_000 + 10 * 60_000 + 1);
    expect((await first.answer({ q: 'A' })).error).toEqual(INVALID_STATE);
  });

  it('with one of the keys', async () => {
    const [one, other] = [await ask({ keys: [KEY] }), await ask({ keys: [OTHER_KEY] })];
    const first = await one.call();
    const foreign = await (await other.call()).retryWith(first.state);
    expect(foreign.error).toEqual(INVALID_STATE);
  });

  it('in the process that sealed it, if there are no keys', async () => {
    const [one, other] = [await ask(), await ask()];
    expect((await (await other.call()).retryWith((await one.call()).state)).error).toEqual(INVALID_STATE);
  });

  // covers: 2026-07-28/elicitation/requests-are-bound-to-the-user
  // covers: 2026-07-28/elicitation/state-belongs-to-a-user
  // covers: 2026-07-28/elicitation/user-comes-from-authorization
  // covers: 2026-07-28/elicitation/users-are-not-taken-at-their-word
  // covers: 2026-07-28/mrtr/state-binds-the-principal
  it('for the user who was asked', async () => {
    const options: RawClientOptions = {
      keys: [KEY],
      authenticate: request => {
        const name = request.header('authorization');
        if (!name) throw new McpError(-1, 'who are you?');
        return name === 'nobody' ? undefined : { principal: name };
      },
    };
    const [ada, eve, nobody] = await Promise.all(
      ['ada', 'eve', 'nobody'].map(authorization => ask({ ...options, headers: { authorization } })),
    );
    const first = await ada!.call();
    for (const thief of [eve!, nobody!]) {
      const stolen = await (await thief.call()).retryWith(first.state, {
        inputResponses: { q0: accepted({}) },
      });
      expect(stolen.error).toEqual(INVALID_STATE);
    }
    const anonymous = await nobody!.call();
    expect((await first.retryWith(anonymous.state)).error).toEqual(INVALID_STATE);
    expect((await first.answer({ q: 'A' })).text).toBe('answered A');
  });

  it('for the tool that asked', async () => {
    const add = (server: Server) => {
      server.tool('other', { input: { type: 'object' } }, async (_args, ctx) => askText(ctx, 'q'));
    };
    const first = await (await ask({ add })).call();
    expect((await first.retry({}, { name: 'other', arguments: {} })).error).toEqual(INVALID_STATE);
  });

  // covers: 2026-07-28/mrtr/state-binds-the-request
  it('for the same arguments', async () => {
    const { call } = await ask();
    const args = { restaurant: 'Chez Nous', party: { guests: 2, names: ['Ada', 'Ben'] } };
    const first = await call(args);
    const others = [
      {},
      { ...args, restaurant: 'Chez Vous' },
      { ...args, party: { guests: 3, names: ['Ada', 'Ben'] } },
      { ...args, party: { guests: '2', names: ['Ada', 'Ben'] } },
      { ...args, party: { guests: 2, names: ['Ben', 'Ada'] } },
      { ...args, party: { guests: 2, names: ['Ada'] } },
      { ...args, more: null },
      { restaurant: args.restaurant, ...args.party },
    ];
    for (const other of others) {
      const { error } = await first.retry({}, { name: 'ask', arguments: other });
      expect(error, JSON.stringify(other)).toEqual(INVALID_STATE);
    }
  });

  it('for the same arguments, however their keys are ordered', async () => {
    const first = await (await ask()).call({ a: 1, b: { c: [{ d: 2, e: 3 }], f: 4 } });
    const reordered = { b: { f: 4, c: [{ e: 3, d: 2 }] }, a: 1 };
    const inputResponses = { q0: accepted({ text: 'A' }) };
    const second = await first.retry({ inputResponses }, { arguments: reordered, name: 'ask' });
    expect(second.text).toBe('answered A');
  });

  // covers: 2026-07-28/mrtr/state-binds-the-request
  it('for the same method, target and resource', async () => {
    const add = (server: Server) => {
      server.prompt('ask', {}, async (_args, ctx) => askText(ctx, 'q'));
      server.resource('ask://{what}', {}, async (_variables, ctx) => askText(ctx, 'q'));
    };
    const { call, request } = await ask({ add });
    const tool = await call();
    const prompt = await request('prompts/get', { name: 'ask', arguments: {} });
    const one = await request('resources/read', { uri: 'ask://one' });
    const two = await request('resources/read', { uri: 'ask://two' });
    for (const from of [tool, prompt, one, two]) {
      for (const to of [tool, prompt, one, two]) {
        const { error } = await to.retryWith(from.state);
        expect(error).toEqual(from === to ? undefined : INVALID_STATE);
      }
    }
  });

  it('at the server of that name', async () => {
    const [one, other] = [await ask({ keys: [KEY], name: 'one' }), await ask({ keys: [KEY], name: 'other' })];
    const first = await one.call();
    expect((await (await other.call()).retryWith(first.state)).error).toEqual(INVALID_STATE);
  });

  it('as what it is: the id of a session is no state, though the same key sealed it', async () => {
    let session = '';
    const legacy = await ask({
      keys: [KEY],
      revision: '2025-11-25',
      authenticate: request => {
        session = request.header('mcp-session-id') ?? session;
        return undefined;
      },
    });
    await legacy.client.request('ping');
    const first = await (await ask({ keys: [KEY] })).call();
    expect(session.length).toBeGreaterThan(50);
    expect((await first.retryWith(session)).error).toEqual(INVALID_STATE);
  });
});

describe('several nodes', () => {
  // covers: 2026-07-28/basic/no-connection-is-needed
  it('with the same keys serve each other’s rounds', async () => {
    const [one, two] = [await ask({ keys: [KEY] }), await ask({ keys: [KEY] })];
    const first = await one.call();
    const second = await (await two.call()).retryWith(first.state, {
      inputResponses: { q0: accepted({ text: 'A' }) },
    });
    expect(second.text).toBe('answered A');
  });

  it('change keys without losing a round: the old key opens, the new one seals', async () => {
    const handler = async (ctx: Parameters<typeof askText>[0]) =>
      `${await askText(ctx, 'one')} ${await askText(ctx, 'two')}`;
    const [before, during, after] = await Promise.all(
      [[KEY], [OTHER_KEY, KEY], [OTHER_KEY]].map(keys => serveAsking(handler, { keys })),
    );
    const first = await before!.call();
    const responses = { inputResponses: { q0: accepted({ text: 'A' }) } };
    const second = await (await during!.call()).retryWith(first.state, responses);
    expect(second.messages).toEqual(['two']);

    expect((await (await after!.call()).retryWith(first.state, responses)).error).toEqual(INVALID_STATE);
    expect((await (await before!.call()).retryWith(second.state)).error).toEqual(INVALID_STATE);
    const third = await (await after!.call()).retryWith(second.state, {
      inputResponses: { q1: accepted({ text: 'B' }) },
    });
    expect(third.text).toBe('A B');
  });
});
