import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import type { Context } from '../../src/server/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { createGate } from '../http/gate.js';
import { askText, serveAsking } from './asking.js';

failOnUnhandled();
afterEach(() => vi.useRealTimers());

/** Serves a handler that may write down what its steps do. */
function serveSteps(
  handler: (ctx: Context, done: string[]) => unknown,
  options?: Parameters<typeof serveAsking>[1],
) {
  const done: string[] = [];
  return serveAsking(ctx => handler(ctx, done), options).then(asked => ({ ...asked, done }));
}

describe('a step', () => {
  it('runs once over all rounds, and later rounds get what it returned', async () => {
    const { call, done } = await serveSteps(async (ctx, done) => {
      const order = await ctx.step('order', () => {
        done.push('order');
        return { id: 7, lines: ['a', null, 1.5, true] };
      });
      await askText(ctx, 'a');
      await askText(ctx, 'b');
      return JSON.stringify(order);
    });
    const last = await (await call()).finish();
    expect(JSON.parse(last.text)).toEqual({ id: 7, lines: ['a', null, 1.5, true] });
    expect(done).toEqual(['order']);
  });

  it.each([undefined, null, '', 0, false, [], {}])('may return %j', async value => {
    const { call, done } = await serveSteps(async (ctx, done) => {
      const result = await ctx.step('s', () => {
        done.push('s');
        return value;
      });
      await askText(ctx, 'a');
      return JSON.stringify({ result });
    });
    expect((await (await call()).finish()).text).toBe(JSON.stringify({ result: value }));
    expect(done).toEqual(['s']);
  });

  it('gives out a value of its own in every round, whatever the handler does to it', async () => {
    const { call } = await serveSteps(async ctx => {
      const cart = await ctx.step('cart', () => ({ items: [] as string[] }));
      cart.items.push('bread');
      await askText(ctx, 'a');
      cart.items.push('wine');
      await askText(ctx, 'b');
      return cart.items.join();
    });
    expect((await (await call()).finish()).text).toBe('bread,wine');
  });

  it('looks the same in the round that ran it as in later ones', async () => {
    const shapes: string[] = [];
    const { call } = await serveSteps(async ctx => {
      const result = await ctx.step('s', () => ({ kept: 1, left: undefined }));
      shapes.push(Object.keys(result).join());
      await askText(ctx, 'a');
      return 'done';
    });
    await (await call()).finish();
    expect(shapes).toEqual(['kept', 'kept']);
  });

  it('that throws is not kept, and runs again', async () => {
    let tries = 0;
    const { call } = await serveSteps(async ctx => {
      const outcome = await ctx
        .step('try', () => {
          if (++tries < 3) throw new Error('not yet');
          return `try ${tries}`;
        })
        .catch((error: Error) => error.message);
      return `${await askText(ctx, 'a')} ${await askText(ctx, 'b')} ${outcome}`;
    });
    expect((await (await call()).finish()).text).toBe('A B try 3');
    expect(tries).toBe(3);
  });

  it('that throws fails the tool like any other error', async () => {
    const { call, errors } = await serveSteps(ctx =>
      ctx.step('fail', () => {
        throw new Error('secret');
      }),
    );
    expect((await call()).result).toMatchObject({ isError: true, content: [{ text: 'tool "ask" failed' }] });
    expect(errors).toEqual([new Error('secret')]);
  });

  it('may be there without a question', async () => {
    const { call } = await serveSteps(async ctx => JSON.stringify(await ctx.step('s', async () => [1])));
    expect((await call()).text).toBe('[1]');
  });
});

describe('steps of one name', () => {
  it('are told apart by their order', async () => {
    const { call, done } = await serveSteps(async (ctx, done) => {
      const one = await ctx.step('s', () => done.push('one'));
      await askText(ctx, 'a');
      const two = await ctx.step('s', () => done.push('two'));
      await askText(ctx, 'b');
      const three = await ctx.step('s', () => done.push('three'));
      return [one, two, three].join();
    });
    expect((await (await call()).finish()).text).toBe('1,2,3');
    expect(done).toEqual(['one', 'two', 'three']);
  });

  it('keep their places when one of them fails', async () => {
    const { call } = await serveSteps(async ctx => {
      const all = await Promise.allSettled([
        ctx.step('s', () => Promise.reject(new Error('first'))),
        ctx.step('s', () => 'second'),
      ]);
      await askText(ctx, 'a');
      return all.map(one => (one.status === 'fulfilled' ? one.value : 'failed')).join();
    });
    expect((await (await call()).finish()).text).toBe('failed,second');
  });
});

describe('a step whose result JSON cannot carry fails, and says where', () => {
  class Money {}
  const cyclic: Record<string, unknown> = { list: [] };
  (cyclic.list as unknown[]).push({ back: cyclic });
  let deep: unknown = 'bottom';
  for (let level = 0; level < 100_000; level++) deep = [deep];

  const results: [string, unknown, string][] = [
    ['a Date', { at: new Date(0) }, 'the result.at is a Date'],
    ['a BigInt', [1n], 'the result[0] is a bigint'],
    ['a function', { run: () => 1 }, 'the result.run is a function'],
    ['a symbol', Symbol('s'), 'the result is a symbol'],
    ['an instance of a class', new Money(), 'the result is a Money'],
    ['a Map', new Map(), 'the result is a Map'],
    ['bytes', new Uint8Array(2), 'the result is a Uint8Array'],
    ['NaN', { list: [0, Number.NaN] }, 'the result.list[1] is NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'the result is Infinity'],
    ['undefined in a list', [undefined], 'the result[0] is undefined'],
    // biome-ignore lint/suspicious/noSparseArray: that is the point.
    ['a hole in a list', [, 1], 'the result[0] is undefined'],
    ['a cycle', cyclic, 'the result.list[0].back is a circular reference'],
    ['100,000 levels', deep, 'it is nested more than 256 levels deep'],
  ];

  it.each(results)('%s', async (_, value, problem) => {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const { call, errors } = await serveSteps(ctx => ctx.step('s', () => value), { revision });
      expect((await call()).result.isError).toBe(true);
      expect(errors).toEqual([new UsageError(`step "s" must return what JSON can carry, but ${problem}`)]);
    }
  });

  it('but the same value twice is no cycle', async () => {
    const shared = { a: 1 };
    const { call } = await serveSteps(async ctx =>
      JSON.stringify(await ctx.step('s', () => [shared, shared])),
    );
    expect((await call()).text).toBe('[{"a":1},{"a":1}]');
  });
});

describe('parallel steps and questions', () => {
  it('running steps are waited for before the round ends, so that they run once', async () => {
    const gates = [createGate<string>(), createGate<string>()];
    const started = createGate();
    const { call, done } = await serveSteps(async (ctx, done) => {
      const slow = gates.map((gate, at) =>
        ctx.step(`slow ${at}`, () => {
          done.push(`slow ${at}`);
          if (at === 1) started.open();
          return gate.passed;
        }),
      );
      const [text, ...rest] = await Promise.all([askText(ctx, 'a'), ...slow]);
      return [text, ...rest].join();
    });
    const calling = call();
    await started.passed;
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    gates[1]!.open('two');
    await nextTurn();
    gates[0]!.open('one');
    const first = await calling;
    expect(first.messages).toEqual(['a']);
    expect((await first.answer({ a: 'A' })).text).toBe('A,one,two');
    expect(done).toEqual(['slow 0', 'slow 1']);
  });

  it('what a branch asks after its step goes out in the same round', async () => {
    const { call } = await serveSteps(async ctx => {
      const branch = async () => {
        const n = await ctx.step('read', () => nextTurn('42'));
        return askText(ctx, `is it ${n}?`);
      };
      return (await Promise.all([askText(ctx, 'a'), branch()])).join();
    });
    const first = await call();
    expect(first.messages).toEqual(['a', 'is it 42?']);
    expect((await first.answer({ a: 'A', 'is it 42?': 'yes' })).text).toBe('A,yes');
  });

  it('a step that fails beside a question fails the call, if nobody catches it', async () => {
    const { call, errors } = await serveSteps(ctx =>
      Promise.all([askText(ctx, 'a'), ctx.step('s', () => Promise.reject(new Error('real')))]),
    );
    expect((await call()).result).toMatchObject({ isError: true });
    expect(errors).toEqual([new Error('real')]);
  });

  it('finished and new steps may be mixed in any order, whichever answer comes first', async () => {
    for (const order of ['ab', 'ba']) {
      const { call, done } = await serveSteps(async (ctx, done) => {
        const branch = async (name: string) => {
          await askText(ctx, name);
          return ctx.step(`step ${name}`, () => {
            done.push(name);
            return name.toUpperCase();
          });
        };
        return (await Promise.all([branch('a'), branch('b')])).join();
      });
      const first = await call();
      const [one, two] = order as unknown as [string, string];
      const second = await first.answer({ [one]: 'x' });
      expect((await second.answer({ [two]: 'y' })).text).toBe('A,B');
      expect(done).toEqual([one, two]);
    }
  });

  it('a step that waits for an answer is an error that names it, not a deadlock', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = createGate();
    const { call } = await serveSteps(ctx =>
      ctx.step('confirm and pay', async () => {
        await nextTurn();
        asked.open();
        return askText(ctx, 'pay?');
      }),
    );
    const calling = call();
    await asked.passed;
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    vi.advanceTimersByTime(5000);
    expect((await calling).error).toEqual({
      code: -32603,
      message: 'the step "confirm and pay" waits for an answer: ask before it or after it',
      data: undefined,
    });
  });

  it('a long step beside a question is waited for, however long it takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gate = createGate<string>();
    const started = createGate();
    const { call, done } = await serveSteps(async (ctx, done) => {
      const long = ctx.step('long', () => {
        done.push('long');
        started.open();
        return gate.passed;
      });
      return (await Promise.all([askText(ctx, 'a'), long])).join();
    });
    const calling = call();
    await started.passed;
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    vi.advanceTimersByTime(60_000);
    await nextTurn();
    gate.open('at last');
    const first = await calling;
    expect((await first.answer({ a: 'A' })).text).toBe('A,at last');
    expect(done).toEqual(['long']);
  });
});
