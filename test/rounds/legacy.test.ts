import { afterEach, describe, expect, it, vi } from 'vitest';
import { RequestTimeout } from '../../src/client/index.js';
import { type Context, inputRequired, McpError, type Server } from '../../src/server/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { createGate } from '../http/gate.js';
import { accepted, askText, type Handler, serveAsking, TEXT } from './asking.js';

failOnUnhandled();
afterEach(() => vi.useRealTimers());

const HANDSHAKE = ['2025-06-18', '2025-11-25'];

type Answer = (params: { message: string }) => object | Promise<object>;

function serveLegacy(
  handler: Handler,
  answer: Answer,
  options: { revision?: string; add?: (server: Server) => void } = {},
) {
  return serveAsking(handler, {
    revision: '2025-11-25',
    answers: { 'elicitation/create': params => answer(params as { message: string }) },
    ...options,
  });
}

const echo: Answer = ({ message }) => accepted({ text: message.toUpperCase() });

describe.each(HANDSHAKE)('at %s the client is asked while the request waits', revision => {
  it('in tools, prompts and resources', async () => {
    const { call, client } = await serveLegacy(ctx => askText(ctx, 'tool'), echo, {
      revision,
      add: server => {
        server.prompt('p', {}, (_args, ctx) => askText(ctx, 'prompt'));
        server.resource('r://{x}', {}, (_variables, ctx) => askText(ctx, 'resource'));
      },
    });
    expect((await call()).text).toBe('TOOL');
    expect(await client.request('prompts/get', { name: 'p' })).toMatchObject({
      messages: [{ content: { text: 'PROMPT' } }],
    });
    expect(await client.request('resources/read', { uri: 'r://1' })).toEqual({
      contents: [{ uri: 'r://1', text: 'RESOURCE' }],
    });
  });

  it('and the handler goes on where it was: nothing runs twice', async () => {
    let runs = 0;
    const { call } = await serveLegacy(
      async ctx => {
        runs++;
        const one = await askText(ctx, 'a');
        const pair = await Promise.all([askText(ctx, 'b'), askText(ctx, 'c')]);
        return [one, ...pair].join();
      },
      echo,
      { revision },
    );
    expect((await call()).text).toBe('A,B,C');
    expect(runs).toBe(1);
  });

  it.each(['decline', 'cancel'])('and may %s', async action => {
    const { call } = await serveLegacy(
      async ctx => JSON.stringify(await ctx.elicit('?', TEXT)),
      () => ({ action, content: { text: 'ignored' } }),
      { revision },
    );
    expect(JSON.parse((await call()).text)).toEqual({ action });
  });

  it('and is asked again, with the reason, at most three times', async () => {
    const asked: string[] = [];
    const { call } = await serveLegacy(
      ctx => askText(ctx, '?'),
      ({ message }) => {
        asked.push(message);
        return accepted({ text: 7 });
      },
      { revision },
    );
    expect((await call()).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the client gave 3 answers that do not fit') }],
    });
    expect(asked).toHaveLength(3);
    expect(asked[2]).toContain('The last answer did not fit: ');
  });
});

describe('waiting for a client of a handshake revision', () => {
  const never: Answer = () => new Promise(() => {});
  const TOO_LATE = 'the client did not answer elicitation/create within 10 ms';

  it('ends after the time that the author gives', async () => {
    const { call, errors } = await serveLegacy(ctx => ctx.elicit('?', TEXT, { timeoutMs: 10 }), never);
    expect((await call()).result).toEqual({ isError: true, content: [{ type: 'text', text: TOO_LATE }] });
    expect(errors).toMatchObject([{ name: 'AnswerTimeout', message: TOO_LATE }]);
  });

  it('ends in prompts and resources with an error that says so', async () => {
    const { request, errors } = await serveLegacy(() => 'unused', never, {
      add: server => {
        server.prompt('p', {}, async (_args, ctx) => (await ctx.elicit('?', TEXT, { timeoutMs: 10 })).action);
        server.resource(
          'r://x',
          {},
          async (_, ctx) => (await ctx.elicit('?', TEXT, { timeoutMs: 10 })).action,
        );
      },
    });
    for (const { error } of [
      await request('prompts/get', { name: 'p' }),
      await request('resources/read', { uri: 'r://x' }),
    ]) {
      expect(error).toEqual({ code: -32603, message: TOO_LATE, data: undefined });
    }
    expect(errors).toMatchObject([{ name: 'AnswerTimeout' }, { name: 'AnswerTimeout' }]);
  });

  it('ends in the same way for a handler that asks by hand', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const shown = createGate();
    const params = { mode: 'form' as const, message: '?', requestedSchema: TEXT };
    const { call, errors } = await serveLegacy(
      () => inputRequired({ requests: { name: { method: 'elicitation/create', params } } }),
      () => {
        shown.open();
        return new Promise(() => {});
      },
    );
    const calling = call();
    await shown.passed;
    vi.advanceTimersByTime(5 * 60_000);
    const text = 'the client did not answer elicitation/create within 300000 ms';
    expect((await calling).result).toEqual({ isError: true, content: [{ type: 'text', text }] });
    expect(errors).toMatchObject([{ name: 'AnswerTimeout' }]);
  });

  it('can be given up by the handler, which then goes on', async () => {
    const { call, errors } = await serveLegacy(async ctx => {
      const answer = await ctx.elicit('?', TEXT, { timeoutMs: 10 }).catch((error: Error) => error);
      return answer instanceof RequestTimeout ? 'reserved without asking' : 'asked';
    }, never);
    expect((await call()).text).toBe('reserved without asking');
    expect(errors).toEqual([]);
  });

  it('ends for all questions when one fails, and nothing is left unhandled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const shown = createGate();
    let open = 0;
    const { call } = await serveLegacy(
      async ctx => {
        const one = ctx.elicit('one', TEXT, { timeoutMs: 10 });
        const two = ctx.elicit('two', TEXT, { timeoutMs: 11 });
        void ctx.elicit('three', TEXT, { timeoutMs: 12 });
        await one;
        await two;
      },
      () => {
        if (++open === 3) shown.open();
        return new Promise(() => {});
      },
    );
    const calling = call();
    await shown.passed;
    vi.advanceTimersByTime(12);
    expect((await calling).result.isError).toBe(true);
  });

  it('ends with a text about the error that the client answers', async () => {
    const { call } = await serveLegacy(
      ctx => askText(ctx, '?'),
      () => {
        throw new McpError(-1, 'the user is away');
      },
    );
    const text = 'the client answered elicitation/create with an error: the user is away';
    expect((await call()).result).toEqual({ content: [{ type: 'text', text }], isError: true });
  });

  it('is over when the request is: a late question is refused', async () => {
    let late: Promise<unknown> = Promise.resolve();
    let ask = () => {};
    const { call } = await serveLegacy(async ctx => {
      late = new Promise(resolve => {
        ask = () => void ctx.elicit('late', TEXT).then(resolve, resolve);
      });
      return 'done';
    }, echo);
    expect((await call()).text).toBe('done');
    ask();
    expect(await late).toMatchObject({ name: 'UsageError', message: expect.stringContaining('had ended') });
  });
});

describe('a step on a handshake revision', () => {
  it('runs, and gives out what JSON carries', async () => {
    const { call } = await serveLegacy(async (ctx: Context) => {
      const kept = await ctx.step('s', () => ({ a: 1, left: undefined }));
      return Object.keys(kept).join();
    }, echo);
    expect((await call()).text).toBe('a');
  });

  it('of the same name runs again, since it is another one', async () => {
    let ran = 0;
    const { call } = await serveLegacy(async ctx => {
      await ctx.step('s', () => ++ran);
      return `${await ctx.step('s', () => ++ran)}`;
    }, echo);
    expect((await call()).text).toBe('2');
  });
});
