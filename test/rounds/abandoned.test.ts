import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/server/index.js';
import { askText, type Handler, serveAsking } from './asking.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// `npm run test:long` does it ten thousand times.
const TIMES = Number(process.env.ABANDONED_CALLS ?? 2000);

async function heapInUse(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    await nextTurn();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

describe('a client that never comes back', () => {
  const handlers: [string, Handler][] = [
    ['', ctx => askText(ctx, 'q')],
    [', though the handler swallows the end of the round', ctx => askText(ctx, 'q').catch(() => 'swallowed')],
    [', though the handler never ends', ctx => askText(ctx, 'q').catch(() => new Promise(() => {}))],
    [
      ', though a step was run and nobody waits for a question',
      async ctx => {
        await ctx.step('s', () => 'x'.repeat(1000));
        void ctx.elicit('q', { type: 'object', properties: {} });
        return 'done';
      },
    ],
  ];

  // covers: 2026-07-28/mrtr/retry-is-not-expected
  it.each(handlers)('leaves nothing behind%s', async (_, handler) => {
    const contexts: WeakRef<Context>[] = [];
    const { call, errors } = await serveAsking((ctx, args) => {
      contexts.push(new WeakRef(ctx));
      return handler(ctx, args);
    });
    for (let n = 0; n < 20; n++) expect((await call()).result.resultType).toBe('input_required');
    // What was reported belongs to this test, and the stack of an error holds on to the frames in it.
    errors.length = 0;
    await heapInUse();
    expect(contexts).toHaveLength(20);
    expect(contexts.slice(0, 19).filter(ref => ref.deref() !== undefined)).toEqual([]);
  });

  it(`costs no memory, ${TIMES} times`, { timeout: 600_000 }, async () => {
    const { call } = await serveAsking(async ctx => {
      await ctx.step('s', () => randomBytes(1000).toString('base64'));
      return (await Promise.all([askText(ctx, 'a'), askText(ctx, 'b')])).join();
    });
    const abandon = async (times: number) => {
      for (let n = 0; n < times; n++) await call();
      return heapInUse();
    };
    const before = await abandon(1000);
    const after = await abandon(TIMES);
    // One state alone has more than 1300 bytes.
    expect(after - before).toBeLessThan(TIMES * 800);
  });
});
