import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Context, Server, SingleUse } from '../../src/server/index.js';
import { type Asked, accepted, askText, connectAsking, INVALID_STATE, serveAsking } from './asking.js';

const KEY = 'a key of at least thirty-two bytes, for tests';
const SPENT = {
  code: -32602,
  message: 'this requestState was used already; start again without it',
  data: undefined,
};

afterEach(() => vi.useRealTimers());

/** A payment that is confirmed, as a tool with `once` or with `ctx.once()`. */
function paying(paid: string[]): (server: Server) => void {
  const pay = async (ctx: Context) => {
    const text = await askText(ctx, 'pay?');
    paid.push(text);
    return `paid ${text}`;
  };
  return server => {
    server.tool('pay', { refuseReplays: true }, (_args, ctx) => pay(ctx));
    server.tool('pay inside', {}, async (_args, ctx) => {
      const text = await askText(ctx, 'pay?');
      await ctx.once();
      paid.push(text);
      return `paid ${text}`;
    });
    server.tool('pay often', {}, (_args, ctx) => pay(ctx));
    server.prompt('pay', {}, async (_args, ctx) => {
      const text = await askText(ctx, 'pay?');
      await ctx.once();
      paid.push(text);
      return text;
    });
  };
}

async function servePaying(
  options: Parameters<typeof serveAsking>[1] = {},
): Promise<Asked & { paid: string[] }> {
  const paid: string[] = [];
  return { ...(await serveAsking(() => 'unused', { ...options, add: paying(paid) })), paid };
}

describe.each(['pay', 'pay inside'])('a state of the tool "%s"', name => {
  const begin = (asked: Asked) => asked.request('tools/call', { name });

  it('is good once', async () => {
    const asked = await servePaying();
    const first = await begin(asked);
    expect((await first.answer({ 'pay?': '1' })).text).toBe('paid 1');
    for (let again = 0; again < 3; again++)
      expect((await first.answer({ 'pay?': '2' })).error).toEqual(SPENT);
    expect(asked.paid).toEqual(['1']);
  });

  // covers: 2026-07-28/mrtr/single-use-is-enforced
  it('is good for exactly one of many who use it at the same time', async () => {
    const asked = await servePaying();
    const first = await begin(asked);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => first.answer({ 'pay?': `${n}` })));
    expect(all.filter(({ result }) => result)).toHaveLength(1);
    expect(all.filter(({ error }) => error).map(({ error }) => error)).toEqual(Array(19).fill(SPENT));
    expect(asked.paid).toHaveLength(1);
  });

  it('leaves other states of the same tool alone', async () => {
    const asked = await servePaying();
    const rounds = await Promise.all([begin(asked), begin(asked), begin(asked)]);
    for (const round of rounds) expect((await round.answer({ 'pay?': 'A' })).text).toBe('paid A');
    expect(asked.paid).toHaveLength(3);
  });

  it('is remembered by a store that nodes share', async () => {
    const redeemed = new Map<string, number>();
    const singleUse: SingleUse = {
      redeem: async (id, expiresAt) => !redeemed.has(id) && Boolean(redeemed.set(id, expiresAt)),
    };
    const [one, two] = [
      await servePaying({ keys: [KEY], singleUse }),
      await servePaying({ keys: [KEY], singleUse }),
    ];
    const first = await begin(one);
    const inputResponses = { q0: accepted({ text: 'A' }) };
    expect((await first.answer({ 'pay?': 'A' })).text).toBe('paid A');
    expect((await (await begin(two)).retryWith(first.state, { inputResponses })).error).toEqual(SPENT);
    expect([one.paid, two.paid]).toEqual([['A'], []]);
    const [[id, expiresAt]] = [...redeemed] as [[string, number]];
    expect(id.length).toBeLessThanOrEqual(64);
    expect(expiresAt - Date.now()).toBeGreaterThan(9 * 60_000);
  });
});

describe('ctx.once', () => {
  it('lets a request pass once, from whichever of its states it comes', async () => {
    const paid: string[] = [];
    const { call } = await serveAsking(async ctx => {
      const order = await ctx.step('create the order', () => 'order 1');
      const text = await askText(ctx, 'pay?');
      await ctx.once();
      paid.push(text);
      return `${order} paid with ${text}`;
    });
    const first = await call();
    const second = await first.retryWith(first.state);
    const third = await second.retryWith(second.state);
    expect((await second.answer({ 'pay?': 'A' })).text).toBe('order 1 paid with A');
    for (const other of [first, second, third]) {
      expect((await other.answer({ 'pay?': 'B' })).error).toEqual(SPENT);
    }
    expect(paid).toEqual(['A']);
  });

  it('does not make a later one free by standing in a step', async () => {
    const paid: string[] = [];
    const { call } = await serveAsking(async ctx => {
      await ctx.step('reserve', () => ctx.once());
      const text = await askText(ctx, 'pay?');
      await ctx.once();
      paid.push(text);
      return text;
    });
    const first = await call();
    const second = await first.retryWith(first.state);
    const all = [await second.answer({ 'pay?': 'A' }), await first.answer({ 'pay?': 'B' })];
    expect(all.map(({ text, error }) => text ?? error)).toEqual(['A', SPENT]);
    expect(paid).toEqual(['A']);
  });

  it('lets only one of several branches of a request go on, whatever comes first in it', async () => {
    const paid: string[] = [];
    const { call } = await serveAsking(async ctx => {
      const pay = async (question: string, name: string, pause: boolean) => {
        await askText(ctx, question);
        if (pause) await ctx.step(`price of ${name}`, () => 1);
        await ctx.once();
        await ctx.step(`pay ${name}`, () => {
          paid.push(name);
        });
      };
      await Promise.all([pay('A?', 'x', true), pay('B?', 'y', false)]);
      return 'done';
    });
    const first = await call();
    const other = await first.retryWith(first.state);
    expect((await first.answer({ 'A?': 'A' })).messages).toEqual(['B?']);
    expect((await other.answer({ 'A?': 'A', 'B?': 'B' })).error).toEqual(SPENT);
    expect(paid).toEqual(['x']);
  });

  it('is tried again when the store was out of order', async () => {
    let isDown = true;
    const used = new Set<string>();
    const singleUse: SingleUse = {
      redeem(id) {
        if (isDown) throw new Error('the store is down');
        return !used.has(id) && Boolean(used.add(id));
      },
    };
    const asked = await servePaying({ singleUse });
    const first = await asked.request('tools/call', { name: 'pay inside' });
    expect((await first.answer({ 'pay?': 'A' })).result).toMatchObject({ isError: true });
    isDown = false;
    expect((await first.answer({ 'pay?': 'A' })).text).toBe('paid A');
    expect((await first.answer({ 'pay?': 'A' })).error).toEqual(SPENT);
  });

  it('may stand at several places, also in a tool with `once`, and is passed again by later rounds', async () => {
    const { request } = await serveAsking(() => 'unused', {
      add: server => {
        server.tool('often', { refuseReplays: true }, async (_args, ctx) => {
          await ctx.once();
          const one = await askText(ctx, 'one?');
          await Promise.all([ctx.once(), ctx.once()]);
          const two = await askText(ctx, 'two?');
          await ctx.once();
          return one + two;
        });
      },
    });
    const first = await request('tools/call', { name: 'often' });
    const second = await first.answer({ 'one?': 'A' });
    expect((await second.answer({ 'two?': 'B' })).text).toBe('AB');
    expect((await second.answer({ 'two?': 'B' })).error).toEqual(SPENT);
    expect((await first.answer({ 'one?': 'A' })).error).toEqual(SPENT);
  });
});

describe('single use', () => {
  it('is not for tools that do not ask for it', async () => {
    const asked = await servePaying();
    const first = await asked.request('tools/call', { name: 'pay often' });
    await first.answer({ 'pay?': '1' });
    await first.answer({ 'pay?': '2' });
    expect(asked.paid).toEqual(['1', '2']);
  });

  it('works in a prompt', async () => {
    const asked = await servePaying();
    const first = await asked.request('prompts/get', { name: 'pay' });
    expect((await first.answer({ 'pay?': 'A' })).error).toBeUndefined();
    expect((await first.answer({ 'pay?': 'A' })).error).toEqual(SPENT);
  });

  it('holds to the end of a state, however long it takes to come to it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const paid: string[] = [];
    let delay = () => {};
    const { request, server } = await serveAsking(() => 'unused', { add: paying(paid) });
    server.use(async (_call, next) => {
      delay();
      return next();
    });
    const first = await request('tools/call', { name: 'pay' });
    const end = Date.now() + 10 * 60_000;
    vi.setSystemTime(end - 200);
    expect((await first.answer({ 'pay?': 'A' })).text).toBe('paid A');
    delay = () => vi.setSystemTime(end + 1);
    expect((await first.answer({ 'pay?': 'B' })).error).toEqual(INVALID_STATE);
    expect(paid).toEqual(['A']);
  });

  it('does not say of a state that is bad for another reason that it was used', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await (await servePaying()).request('tools/call', { name: 'pay' });
    await first.answer({ 'pay?': 'A' });
    expect((await first.retryWith(`${first.state}A`)).error).toEqual(INVALID_STATE);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    expect((await first.answer({ 'pay?': 'A' })).error).toEqual(INVALID_STATE);
  });

  it('lets every round of a longer request be used once', async () => {
    const { server } = await serveAsking(() => 'unused', {
      add: added =>
        added.tool(
          'long',
          { refuseReplays: true },
          async (_args, ctx) => `${await askText(ctx, 'a')} ${await askText(ctx, 'b')}`,
        ),
    });
    const { request } = await connectAsking(server);
    const first = await request('tools/call', { name: 'long' });
    const second = await first.answer({ a: 'A' });
    expect((await second.answer({ b: 'B' })).text).toBe('A B');
    expect((await first.answer({ a: 'A' })).error).toEqual(SPENT);
    expect((await second.answer({ b: 'B' })).error).toEqual(SPENT);
  });

  it('does nothing on the handshake revisions, where a request has one round', async () => {
    const answers = { 'elicitation/create': () => accepted({ text: 'A' }) };
    const asked = await servePaying({ revision: '2025-11-25', answers });
    for (const name of ['pay', 'pay inside']) {
      expect((await asked.request('tools/call', { name })).text).toBe('paid A');
    }
    expect(asked.paid).toEqual(['A', 'A']);
  });
});
