import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Context, McpError, pagesRequired, RoundEnded, ToolError } from '../../src/server/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { createGate } from '../http/gate.js';
import { askText, type Round, serveAsking, TEXT } from './asking.js';

failOnUnhandled();
afterEach(() => vi.useRealTimers());

const RULE =
  'its questions and steps may only depend on its arguments, earlier answers and the results of ctx.step';

/** A handler that does something else each time it is run. */
function changing(...passes: ((ctx: Context) => Promise<unknown>)[]): (ctx: Context) => Promise<unknown> {
  let pass = 0;
  return ctx => passes[Math.min(pass++, passes.length - 1)]!(ctx);
}

describe('a handler that does something else when it runs again gets an error that names both', () => {
  const expectDiverged = (round: Round, before: string, now: string) =>
    expect(round.error).toEqual({
      code: -32603,
      message: `the handler ${before} in an earlier round, but now ${now} instead: ${RULE}`,
      data: undefined,
    });

  it('another question', async () => {
    const { call } = await serveAsking(
      changing(
        ctx => askText(ctx, 'Red?'),
        ctx => askText(ctx, 'Blue?'),
      ),
    );
    const second = await (await call()).answer({ 'Red?': 'yes' });
    expectDiverged(second, 'asked "Red?"', 'asks "Blue?"');
  });

  it('another question, before the first was answered', async () => {
    const { call } = await serveAsking(
      changing(
        ctx => askText(ctx, 'Red?'),
        ctx => askText(ctx, 'Blue?'),
      ),
    );
    expectDiverged(await (await call()).respond({}), 'asked "Red?"', 'asks "Blue?"');
  });

  it('the same question with another form', async () => {
    const { call } = await serveAsking(
      changing(
        ctx => ctx.elicit('Which?', TEXT),
        ctx => ctx.elicit('Which?', z.object({ n: z.number() })),
      ),
    );
    expectDiverged(
      await (await call()).answer({ 'Which?': 'x' }),
      'asked "Which?"',
      'asks it with other details',
    );
  });

  it('a question of another kind', async () => {
    const content = { type: 'text' as const, text: 'Which colour goes with red, and which with blue?' };
    const { call } = await serveAsking(
      changing(
        ctx => ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 9 }),
        ctx => ctx.roots(),
      ),
    );
    const second = await (await call()).respond({});
    expectDiverged(second, 'asked "Which colour goes with red, and which w…"', 'asks "roots/list"');
  });

  it('two questions in another order, if the second needs the answer to the first', async () => {
    const inTurn = (one: string, two: string) => async (ctx: Context) => {
      const first = await askText(ctx, one);
      return askText(ctx, `${two} after ${first}`);
    };
    const { call } = await serveAsking(changing(inTurn('a', 'b'), inTurn('b', 'a')));
    expectDiverged(await (await call()).answer({ a: 'A' }), 'asked "a"', 'asks "b"');
  });

  it('another step, which is then not run', async () => {
    const ran: string[] = [];
    const run = (name: string) => async (ctx: Context) => {
      await ctx.step(name, () => void ran.push(name));
      return askText(ctx, 'q');
    };
    const { call } = await serveAsking(changing(run('hold table 1'), run('hold table 2')));
    expectDiverged(
      await (await call()).answer({ q: 'A' }),
      'ran the step "hold table 1"',
      'runs the step "hold table 2"',
    );
    expect(ran).toEqual(['hold table 1']);
  });

  it('even if nobody waits for the question', async () => {
    const float = (message: string) => async (ctx: Context) => {
      void ctx.elicit(message, TEXT);
      return 'done';
    };
    const { call } = await serveAsking(changing(float('a'), float('b')));
    expectDiverged(await (await call()).answer({ a: 'A' }), 'asked "a"', 'asks "b"');
  });

  it('even if it catches everything', async () => {
    const patient = (message: string) => async (ctx: Context) => {
      const answers = await Promise.allSettled([ctx.elicit(message, TEXT), ctx.elicit('same', TEXT)]);
      return JSON.stringify(answers);
    };
    const { call } = await serveAsking(changing(patient('a'), patient('b')));
    expectDiverged(await (await call()).answer({ a: 'A' }), 'asked "a"', 'asks "b"');
  });

  it('but not if it is content with less', async () => {
    const { call } = await serveAsking(
      changing(
        ctx => askText(ctx, 'Red?'),
        async () => 'done without',
      ),
    );
    expect((await (await call()).answer({ 'Red?': 'yes' })).text).toBe('done without');
  });

  it('and not if a branch only takes longer to come to what it asked', async () => {
    let delay = 0;
    const { call } = await serveAsking(async ctx => {
      const slow = async () => {
        const one = await askText(ctx, 'a1');
        // Reading something is fine without a step.
        if (delay++ > 1) await new Promise(resolve => setTimeout(resolve, 20));
        return `${one} ${await askText(ctx, 'a2')}`;
      };
      const quick = async () => `${await askText(ctx, 'b1')} ${await askText(ctx, 'b2')}`;
      return (await Promise.all([slow(), quick()])).join(' ');
    });
    const first = await call();
    const second = await first.answer({ a1: 'A1' });
    expect(second.messages).toEqual(['b1', 'a2']);
    const third = await second.answer({ b1: 'B1' });
    expect((await third.finish()).text).toBe('A1 A2 B1 B2');
  });
});

describe('a handler whose reads take longer in later rounds', () => {
  it('gets the answers to what it asked, however late it asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const read = createGate();
    let pass = 0;
    const { call } = await serveAsking(async ctx => {
      const slow = async () => {
        if (pass++ > 0) await read.passed;
        return askText(ctx, 'A?');
      };
      const quick = async () => `${await askText(ctx, 'B?')} ${await askText(ctx, 'C?')}`;
      return (await Promise.all([slow(), quick()])).join(' ');
    });
    const second = (await call()).answerAll();
    await vi.waitUntil(() => vi.getTimerCount() > 0, 60_000);
    vi.advanceTimersByTime(2000);
    read.open();
    expect((await second).messages).toEqual(['C?']);
  });
});

describe('a handler that never stops asking', () => {
  it('is stopped in round 16', async () => {
    let runs = 0;
    const { call } = await serveAsking(async ctx => {
      runs++;
      for (let n = 1; ; n++) await askText(ctx, `q${n}`);
    });
    let round = await call();
    for (; round.result; round = await round.answerAll()) expect(round.messages).toEqual([`q${runs}`]);
    expect(runs).toBe(16);
    expect(round.error).toEqual({
      code: -32603,
      message: 'the handler is not done after 16 rounds, which is the limit',
      data: undefined,
    });
  });

  it('is stopped, too, if the client never answers', async () => {
    let round = await (await serveAsking(ctx => askText(ctx, 'q'))).call();
    let rounds = 1;
    for (; round.result; rounds++) round = await round.respond({});
    expect(rounds).toBe(16);
    expect(round.error?.code).toBe(-32603);
  });
});

describe('the end of a round', () => {
  it('is thrown where the question was asked, and aborts the signal', async () => {
    const seen: unknown[] = [];
    const { call } = await serveAsking(async ctx => {
      const { signal } = ctx;
      try {
        await askText(ctx, 'q');
      } catch (thrown) {
        seen.push('catch', thrown, signal.aborted, signal.reason);
        throw thrown;
      } finally {
        seen.push('finally');
      }
      return 'done';
    });
    const first = await call();
    expect(seen).toEqual(['catch', expect.any(RoundEnded), true, expect.any(RoundEnded), 'finally']);
    seen.length = 0;
    expect((await first.answer({ q: 'A' })).text).toBe('done');
    expect(seen).toEqual(['finally']);
  });

  const careless: [string, (ctx: Context) => Promise<unknown>][] = [
    ['a catch that goes on', ctx => askText(ctx, 'q').catch(() => 'swallowed')],
    ['a catch that asks something else', ctx => askText(ctx, 'q').catch(() => askText(ctx, 'other'))],
    ['a catch that never ends', ctx => askText(ctx, 'q').catch(() => new Promise(() => {}))],
    [
      'a catch that throws a protocol error',
      ctx =>
        askText(ctx, 'q').catch(() => {
          throw new McpError(-1, 'wrapped');
        }),
    ],
    [
      'a catch that throws a tool error',
      ctx =>
        askText(ctx, 'q').catch(() => {
          throw new ToolError('wrapped');
        }),
    ],
    ['a catch that returns an error', ctx => askText(ctx, 'q').catch(() => ctx.error('wrapped'))],
    [
      'a finally that asks',
      async ctx => {
        try {
          return await askText(ctx, 'q');
        } finally {
          if (ctx.signal.aborted) await askText(ctx, 'cleanup');
        }
      },
    ],
    [
      'nested Promise.allSettled',
      async ctx => {
        const all = await Promise.allSettled([
          Promise.allSettled([askText(ctx, 'q')]),
          ctx.step('s', () => 1),
        ]);
        const [inner] = all as [PromiseFulfilledResult<PromiseSettledResult<string>[]>, unknown];
        return inner.value[0]?.status === 'fulfilled' ? inner.value[0].value : 'swallowed';
      },
    ],
    ['Promise.race', ctx => Promise.race([askText(ctx, 'q'), new Promise<string>(() => {})])],
    ['Promise.any', ctx => Promise.any([askText(ctx, 'q')]).catch(() => 'swallowed')],
    [
      'a question that nobody waits for yet',
      async ctx => {
        const pending = askText(ctx, 'q');
        await ctx.step('s', () => 1);
        return pending;
      },
    ],
  ];

  it.each(careless)('is not harmed by %s', async (_, handler) => {
    const { call, errors } = await serveAsking(handler);
    const first = await call();
    expect(first.messages).toEqual(['q']);
    expect((await first.answer({ q: 'A' })).text).toBe('A');
    expect(errors).toEqual([]);
  });

  const makeDo: [string, (ctx: Context) => object][] = [
    ['returns another failure', ctx => ctx.error('could not ask')],
    [
      'throws another error',
      () => {
        throw new ToolError('could not ask');
      },
    ],
    [
      'sends the user to a page',
      () => {
        throw pagesRequired([{ message: 'Look', url: 'https://example.com/' }]);
      },
    ],
  ];

  it.each(makeDo)('is not harmed by a catch that %s while a step takes long', async (_, instead) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slow = createGate<string>();
    const caught = createGate<unknown>();
    const { call, errors } = await serveAsking(async ctx => {
      const [text, done] = await Promise.all([
        askText(ctx, 'q').catch(thrown => {
          caught.open(thrown);
          return instead(ctx);
        }),
        ctx.step('slow', () => slow.passed),
      ]);
      return typeof text === 'string' ? text + done : text;
    });
    const first = call();
    await vi.waitUntil(() => vi.getTimerCount() > 0, 60_000);
    vi.advanceTimersByTime(5000);
    expect(await caught.passed).toBeInstanceOf(RoundEnded);
    slow.open(' and done');
    expect((await first).messages).toEqual(['q']);
    expect((await (await first).answer({ q: 'A' })).text).toBe('A and done');
    expect(errors).toEqual([]);
  });

  it.each([
    [
      'two questions of which only one is waited for',
      async (ctx: Context) => {
        const one = ctx.elicit('a', TEXT);
        const two = ctx.elicit('b', TEXT);
        await one;
        await two;
        return 'done';
      },
    ],
    [
      'questions that nobody waits for',
      async (ctx: Context) => {
        void ctx.elicit('a', TEXT);
        void ctx.elicit('b', TEXT);
        return 'done';
      },
    ],
  ])('brings no process down: %s', async (_, handler) => {
    const first = await (await serveAsking(handler)).call();
    expect(first.messages).toEqual(['a', 'b']);
    expect((await first.answerAll()).text).toBe('done');
  });

  it('does not come for a question after the handler has returned', async () => {
    const late = createGate<unknown>();
    const returned = createGate();
    const { call } = await serveAsking(async ctx => {
      void returned.passed.then(() => ctx.elicit('late', TEXT)).then(late.open, late.open);
      return 'done';
    });
    expect((await call()).text).toBe('done');
    returned.open();
    expect(await late.passed).toMatchObject({
      name: 'UsageError',
      message: 'its question "late" came after tool "ask" had ended; await it before that',
    });
  });

  it('is the same for prompts and resources', async () => {
    const swallow = (ctx: Context) =>
      askText(ctx, 'q').catch(() => {
        throw new Error('wrapped');
      });
    const { request, errors } = await serveAsking(swallow, {
      add: server => {
        server.prompt('p', {}, (_args, ctx) => swallow(ctx));
        server.resource('r://x', {}, (_variables, ctx) => swallow(ctx));
      },
    });
    for (const round of [
      await request('prompts/get', { name: 'p' }),
      await request('resources/read', { uri: 'r://x' }),
    ]) {
      expect(round.messages).toEqual(['q']);
      expect((await round.answer({ q: 'A' })).error).toBeUndefined();
    }
    expect(errors).toEqual([]);
  });
});

describe('a real error in the same turn as a question is the answer', () => {
  it.each([
    ['a tool error', new ToolError('real'), 'real'],
    ['an unexpected error', new Error('real'), 'tool "ask" failed'],
  ])('%s', async (_, error, text) => {
    const { call } = await serveAsking(ctx => Promise.all([askText(ctx, 'q'), Promise.reject(error)]));
    expect((await call()).result).toMatchObject({ isError: true, content: [{ text }] });
  });

  it('a protocol error', async () => {
    const { call } = await serveAsking(ctx =>
      Promise.all([askText(ctx, 'q'), Promise.reject(new McpError(-32000, 'real', { why: 1 }))]),
    );
    expect((await call()).error).toEqual({ code: -32000, message: 'real', data: { why: 1 } });
  });

  it('an error that is thrown right after a question that nobody waits for', async () => {
    const { call } = await serveAsking(async ctx => {
      void ctx.elicit('q', TEXT);
      throw new ToolError('real');
    });
    expect((await call()).result).toMatchObject({ isError: true, content: [{ text: 'real' }] });
  });

  it('in a prompt and in a resource', async () => {
    const fail = (ctx: Context) => Promise.all([askText(ctx, 'q'), Promise.reject(new Error('secret'))]);
    const { request, errors } = await serveAsking(fail, {
      add: server => {
        server.prompt('p', {}, async (_args, ctx) => (await fail(ctx)).join());
        server.resource('r://x', {}, async (_variables, ctx) => (await fail(ctx)).join());
      },
    });
    for (const round of [
      await request('prompts/get', { name: 'p' }),
      await request('resources/read', { uri: 'r://x' }),
    ]) {
      expect(round.error).toEqual({ code: -32603, message: 'internal error', data: undefined });
    }
    expect(errors).toHaveLength(2);
  });
});

describe('around a round', () => {
  it('middleware runs once', async () => {
    const seen: string[] = [];
    const { call, server } = await serveAsking(
      async ctx => `${await askText(ctx, 'a')} ${await askText(ctx, 'b')}`,
    );
    server.use(async (request, next) => {
      seen.push(`before ${request.target}`);
      try {
        return await next();
      } catch (thrown) {
        seen.push((thrown as Error).name);
        throw thrown;
      } finally {
        seen.push('after');
      }
    });
    const first = await call();
    expect(seen.splice(0)).toEqual(['before ask', 'RoundEnded', 'after']);
    const second = await first.answer({ a: 'A' });
    expect(seen.splice(0)).toEqual(['before ask', 'RoundEnded', 'after']);
    expect((await second.answer({ b: 'B' })).text).toBe('A B');
    expect(seen.splice(0)).toEqual(['before ask', 'after']);
  });

  it('middleware does not run for a state that is refused', async () => {
    const seen: unknown[] = [];
    const { call, server } = await serveAsking(ctx => askText(ctx, 'a'));
    const first = await call();
    server.use((request, next) => {
      seen.push(request.target);
      return next();
    });
    await first.retryWith('x');
    expect(seen).toEqual([]);
  });

  it('middleware that makes a result of everything does no harm', async () => {
    const { call, server } = await serveAsking(ctx => askText(ctx, 'a'));
    server.use((_request, next) => next().catch(() => ({ content: [] })));
    expect((await (await call()).answer({ a: 'A' })).text).toBe('A');
  });

  it('progress and logs before the question reach the client, in every round', async () => {
    const { client } = await serveAsking(async ctx => {
      ctx.progress(1, { total: 2 });
      ctx.log.info('about to ask');
      const text = await askText(ctx, 'a').finally(() => ctx.log.info('too late, or not'));
      ctx.progress(2, { total: 2 });
      return text;
    });
    const _meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' };
    const params = { name: 'ask', arguments: {}, _meta };
    const first = await client.request('tools/call', params);
    expect(first.resultType).toBe('input_required');
    const methods = () => client.notifications.map(({ method }) => method);
    expect(methods()).toEqual(['notifications/progress', 'notifications/message']);
    const { requestState } = first;
    const inputResponses = { q0: { action: 'accept', content: { text: 'A' } } };
    const second = await client.request('tools/call', { ...params, requestState, inputResponses });
    expect(second.content).toEqual([{ type: 'text', text: 'A' }]);
    expect(methods().slice(2)).toEqual([
      'notifications/progress',
      'notifications/message',
      'notifications/message',
      'notifications/progress',
    ]);
  });
});
