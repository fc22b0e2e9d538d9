import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json.js';
import { type Context, Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const REVISIONS = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'];
const FORM = z.object({ guests: z.number() });

type Report = { where: string; message: string; cause: unknown };

/** Runs a handler of each kind, and resolves with what was reported once there is as much as expected. */
function serve(run: (ctx: Context) => unknown) {
  const reported: Report[] = [];
  let arrived = () => {};
  const onError = (error: unknown, where: string) => {
    const { message, cause } = error as Error;
    reported.push({ where, message, cause });
    arrived();
  };
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
  const finish = async (ctx: Context) => {
    await run(ctx);
    return 'done';
  };
  server.tool('reserve', {}, (_, ctx) => finish(ctx));
  server.prompt('reserve', {}, (_, ctx) => finish(ctx));
  server.resource('menu://today', {}, (_, ctx) => finish(ctx));
  server.method('acme/reserve', async (_, ctx) => ({ text: await finish(ctx) }));
  const untilReported = async (count: number) => {
    while (reported.length < count) await new Promise<void>(resolve => (arrived = resolve));
    return reported;
  };
  return { server, reported, untilReported };
}

const KINDS: [who: string, method: string, params: JsonObject][] = [
  ['tool "reserve"', 'tools/call', { name: 'reserve' }],
  ['prompt "reserve"', 'prompts/get', { name: 'reserve' }],
  ['resource "menu://today"', 'resources/read', { uri: 'menu://today' }],
  ['method "acme/reserve"', 'acme/reserve', {}],
];

describe.each(REVISIONS)('on %s', revision => {
  const connect = (server: Server) => connectRaw(server, { revision, capabilities: { elicitation: {} } });

  it.each(KINDS)(
    'a question that comes after %s has ended is refused and reported',
    async (who, ...request) => {
      let late: Promise<unknown> = Promise.resolve();
      let end = () => {};
      const ended = new Promise<void>(resolve => (end = resolve));
      const { server, reported } = serve(ctx => {
        late = ended.then(() => ctx.elicit('How many?', FORM));
        late.catch(() => {});
      });
      await (await connect(server)).request(...request);
      end();
      const message = `its question "How many?" came after ${who} had ended; await it before that`;
      await expect(late).rejects.toMatchObject({ name: 'UsageError', message });
      expect(reported).toEqual([{ where: who, message, cause: undefined }]);
    },
  );

  it.each(KINDS)('a step that comes after %s has ended does not run', async (who, ...request) => {
    let late: Promise<unknown> = Promise.resolve();
    let ran = false;
    let end = () => {};
    const ended = new Promise<void>(resolve => (end = resolve));
    const { server } = serve(ctx => {
      late = ended.then(() =>
        ctx.step('hold', () => {
          ran = true;
        }),
      );
      late.catch(() => {});
    });
    await (await connect(server)).request(...request);
    end();
    await expect(late).rejects.toThrow(`its step "hold" came after ${who} had ended`);
    expect(ran).toBe(false);
  });

  it.each(KINDS)('a step that %s does not await and that fails is reported', async (who, ...request) => {
    const cause = new Error('no table is free');
    const { server, reported } = serve(async ctx => {
      void ctx.step('hold', () => Promise.reject(cause));
      await new Promise(resolve => setImmediate(resolve));
    });
    await (await connect(server)).request(...request);
    expect(reported).toEqual([
      { where: who, message: `${who} did not await its step "hold", which failed`, cause },
    ]);
  });

  it('a step that fails only after its handler has returned is reported', async () => {
    const cause = new Error('no table is free');
    let fail = () => {};
    const failing = new Promise<void>((_, reject) => (fail = () => reject(cause)));
    const { server, untilReported } = serve(ctx => void ctx.step('hold', () => failing));
    await (await connect(server)).request('tools/call', { name: 'reserve' });
    fail();
    expect(await untilReported(1)).toMatchObject([{ where: 'tool "reserve"', cause }]);
  });

  it('a failed step that is awaited late, or beside another one, is not reported', async () => {
    const { server, reported } = serve(async ctx => {
      const held = ctx.step('hold', () => Promise.reject(new Error('full')));
      await new Promise(resolve => setImmediate(resolve));
      await held.catch(() => {});
      const both = ['a', 'b'].map(name => ctx.step(name, () => Promise.reject(new Error('full'))));
      await Promise.all(both).catch(() => {});
    });
    await (await connect(server)).request('tools/call', { name: 'reserve' });
    expect(reported).toEqual([]);
  });

  it.each(KINDS.slice(0, 3))('a question that %s does not await is reported', async (who, ...request) => {
    const { server, reported } = serve(ctx => void ctx.elicit('How many?', FORM));
    await (
      await connectRaw(server, {
        revision,
        capabilities: { elicitation: {} },
        answers: { 'elicitation/create': () => ({ action: 'decline' }) },
      })
    ).request(...request);
    const open = `${who} returned before its question "How many?" was answered; await the answer`;
    const failed = `${who} did not await its question "How many?", which failed`;
    // The two oldest revisions have no such question, so it fails at once.
    expect([open, failed]).toContain(reported[0]?.message);
    expect(reported).toMatchObject([{ where: who }]);
  });
});
