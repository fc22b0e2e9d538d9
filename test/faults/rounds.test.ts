import { describe, expect, test } from 'vitest';
import type { Context, Server } from '../../src/server/index.js';
import { answerOf, modern, shown, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const FORMS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, roots: {} } };
const GUESTS = { type: 'object', properties: { guests: { type: 'integer' } } } as const;
const ACCEPTED = { action: 'accept', content: { guests: 2 } };

function askTool(run: (ctx: Context) => Promise<string | undefined>): (server: Server) => void {
  return server => {
    server.tool('fine', {}, () => 'fine');
    server.tool('ask', {}, (_, ctx) => run(ctx));
  };
}

async function ask(port: number, params: object = {}): Promise<any> {
  return answerOf(await exchange(port, modern('tools/call', { name: 'ask', ...params }, { meta: FORMS })));
}

async function expectFine(port: number): Promise<void> {
  expect(textOf(await exchange(port, modern('tools/call', { name: 'fine' })))).toBe('fine');
}

describe('a handler that asks', () => {
  const careless: Record<string, (ctx: Context) => Promise<string | undefined>> = {
    'and does not wait': async ctx => {
      void ctx.elicit('How many?', GUESTS);
      await ctx.elicit('When?', GUESTS);
      return 'done';
    },
    'twice, and waits for one after the other': async ctx => {
      const [first, second] = [ctx.elicit('How many?', GUESTS), ctx.elicit('When?', GUESTS)];
      await first;
      await second;
      return 'done';
    },
    'and swallows the end of the round': async ctx => {
      await ctx.elicit('How many?', GUESTS).catch(() => {});
      return 'swallowed';
    },
    'and then hangs': async ctx => {
      await ctx.elicit('How many?', GUESTS).catch(() => {});
      return new Promise(() => {});
    },
    'and throws something else instead': async ctx => {
      await ctx.elicit('How many?', GUESTS).catch(() => {
        throw new Error('the password is hunter2');
      });
      return 'done';
    },
    'and fails while cleaning up': async ctx => {
      try {
        await ctx.elicit('How many?', GUESTS);
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: that is the point.
        throw new Error('the password is hunter2');
      }
    },
  };

  test.for(Object.keys(careless))('%s still asks, and nothing is left unhandled', async how => {
    const { port } = await serve(askTool(careless[how]!));
    const { result } = await ask(port);
    expect(result.resultType).toBe('input_required');
    expect(Object.keys(result.inputRequests).length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toContain('hunter2');
    await expectFine(port);
  });

  test.for(['tools/call', 'prompts/get', 'resources/read'])(
    'in %s asks also if errors are exposed',
    async method => {
      const run = async (ctx: Context) => JSON.stringify(await ctx.elicit('How many?', GUESTS));
      const { port } = await serve(
        server => {
          server.tool('ask', {}, (_, ctx) => run(ctx));
          server.prompt('ask', {}, (_, ctx) => run(ctx));
          server.resource('ask://me', {}, (_, ctx) => run(ctx));
        },
        { server: { exposeErrors: true } },
      );
      const params = method === 'resources/read' ? { uri: 'ask://me' } : { name: 'ask' };
      const first = answerOf(await exchange(port, modern(method, params, { meta: FORMS })));
      expect(first.result.resultType).toBe('input_required');
      const retry = { ...params, requestState: first.result.requestState, inputResponses: { q0: ACCEPTED } };
      const second = await exchange(port, modern(method, retry, { meta: FORMS }));
      expect(second.body).toContain('guests');
    },
  );

  test('and returns without waiting fails or answers, but leaves nothing unhandled', async () => {
    const { port } = await serve(
      askTool(async ctx => {
        void ctx.elicit('How many?', GUESTS);
        return 'done';
      }),
    );
    expect(await ask(port)).toHaveProperty('id', 1);
    await expectFine(port);
  });

  test('after its answer is refused, and leaves nothing unhandled', async () => {
    const late = signalled<unknown>();
    const answered = signalled();
    const { port } = await serve(
      askTool(async ctx => {
        void answered.promise.then(() => ctx.elicit('Still there?', GUESTS)).then(late.resolve, late.resolve);
        return 'done';
      }),
    );
    expect((await ask(port)).result.content[0].text).toBe('done');
    answered.resolve();
    expect(await late.promise).toBeInstanceOf(Error);
    await expectFine(port);
  });

  test('and whose client leaves is told, and leaves nothing unhandled', async () => {
    const started = signalled();
    const ended = signalled<unknown>();
    const { port } = await serve(
      askTool(async ctx => {
        started.resolve();
        await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
        await ctx.elicit('How many?', GUESTS).then(ended.resolve, ended.resolve);
        return 'done';
      }),
    );
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'ask' }, { meta: FORMS })));
    await started.promise;
    connection.destroy();
    expect(await ended.promise).toBeInstanceOf(Error);
    await expectFine(port);
  });
});

describe('a retry', () => {
  const asking = askTool(async ctx => JSON.stringify(await ctx.elicit('How many?', GUESTS)));

  test('with its state and answer goes on', async () => {
    const { port } = await serve(asking);
    const { requestState } = (await ask(port)).result;
    const { result } = await ask(port, { requestState, inputResponses: { q0: ACCEPTED } });
    expect(JSON.parse(result.content[0].text)).toEqual(ACCEPTED);
  });

  test.for(shown<unknown>(['', 'x', 'AQAAAA', '=', 7, null, {}, [], 'a'.repeat(100_000), { toString: 1 }]))(
    'with the state $text is refused',
    async ({ value: requestState }) => {
      const { port, errors } = await serve(asking);
      const answer = await ask(port, { requestState, inputResponses: { q0: ACCEPTED } });
      expect(answer.error?.code).toBe(-32602);
      expect(errors).toEqual([]);
    },
  );

  test.for(shown([null, 7, 'text', [], [ACCEPTED], { q0: 7 }, { q0: null }, { q0: [ACCEPTED] }]))(
    'with the answers $text is refused',
    async ({ value: inputResponses }) => {
      const { port, errors } = await serve(asking);
      const { requestState } = (await ask(port)).result;
      const answer = await ask(port, { requestState, inputResponses });
      expect(answer.error?.code).toBe(-32602);
      expect(errors).toEqual([]);
    },
  );

  test.for(
    shown([
      { q0: {} },
      { q0: { action: 'maybe' } },
      { q0: { action: { toString: 1 } } },
      { q0: { action: 'accept', content: { guests: 'two' } } },
      { q0: { action: 'accept', content: [] } },
      { q0: { action: 'accept', content: { __proto__: null } } },
      { __proto__: ACCEPTED },
      { other: ACCEPTED },
      {},
    ]),
  )('with answers that do not fit, $text, never reaches the handler', async ({ value: inputResponses }) => {
    const { port } = await serve(asking);
    const { requestState } = (await ask(port)).result;
    const answer = await ask(port, { requestState, inputResponses });
    expect(answer.id).toBe(1);
    const isAskedAgain = answer.result?.resultType === 'input_required';
    const isAccepted = answer.result?.content?.[0].text === JSON.stringify({ action: 'accept', content: {} });
    expect(isAskedAgain || answer.error !== undefined || answer.result?.isError === true || isAccepted).toBe(
      true,
    );
  });

  test('with any character of its state changed is refused', async () => {
    const { port } = await serve(asking);
    const { requestState } = (await ask(port)).result;
    const codes = await Promise.all(
      [...requestState].map(async (char, at) => {
        const forged = requestState.slice(0, at) + (char === 'A' ? 'B' : 'A') + requestState.slice(at + 1);
        return (await ask(port, { requestState: forged, inputResponses: { q0: ACCEPTED } })).error?.code;
      }),
    );
    expect(new Set(codes)).toEqual(new Set([-32602]));
  });

  test('with the state of another tool, other arguments, or another user is refused', async () => {
    const { port } = await serve(
      server => {
        const input = { type: 'object', properties: { a: { type: 'number' } } } as const;
        for (const name of ['ask', 'other'])
          server.tool(name, { input }, async (_, ctx) =>
            JSON.stringify(await ctx.elicit('How many?', GUESTS)),
          );
      },
      { authenticate: request => ({ principal: request.header('authorization') ?? 'nobody' }) },
    );
    const send = async (name: string, args: object, user: string, more: object = {}) => {
      const headers = { authorization: user };
      const request = modern('tools/call', { name, arguments: args, ...more }, { meta: FORMS, headers });
      return answerOf(await exchange(port, request));
    };
    const { requestState } = (await send('ask', { a: 1 }, 'ada')).result;
    const retry = { requestState, inputResponses: { q0: ACCEPTED } };
    expect((await send('other', { a: 1 }, 'ada', retry)).error?.code).toBe(-32602);
    expect((await send('ask', { a: 2 }, 'ada', retry)).error?.code).toBe(-32602);
    expect((await send('ask', { a: 1 }, 'eve', retry)).error?.code).toBe(-32602);
    expect((await send('ask', { a: 1 }, 'ada', retry)).result.content).toHaveLength(1);
  });
});
