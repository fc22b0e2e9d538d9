import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Context, type InputRequest, inputRequired, McpError } from '../../src/server/index.js';
import { accepted, askText, INVALID_STATE, serveAsking, TEXT } from './asking.js';

const NAME = z.object({ name: z.string().min(1) });

const form = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});

/** Greets two people whom it asks for one after the other, and keeps count in its state. */
async function greetBoth(ctx: Context) {
  const state = await ctx.stateAs(z.object({ names: z.array(z.string()) }));
  const names = state?.names ?? [];
  const answer = await ctx.answerTo('who', NAME);
  if (answer?.action === 'accept') names.push(answer.content.name);
  if (answer && answer.action !== 'accept') return `stopped: ${answer.action}`;
  if (names.length === 2) return `Hello ${names.join(' and ')}`;
  return inputRequired({ requests: { who: form(`Name ${names.length + 1}?`) }, state: { names } });
}

/** Asks for two names one after the other and keeps no state: the answers are still there. */
async function askInTurn(ctx: Context) {
  const first = await ctx.answerTo('first', NAME);
  if (!first) return inputRequired({ requests: { first: form('first?') } });
  const second = await ctx.answerTo('second', NAME);
  if (!second) return inputRequired({ requests: { second: form('second?') } });
  return JSON.stringify([first, second]);
}

/** Asks for the given names, round by round, and notes which answers it has in each. */
function tellAnswers(...rounds: string[][]) {
  let round = 0;
  const seen: unknown[] = [];
  const handler = (ctx: Context) => {
    seen.push(ctx.inputResponses && Object.fromEntries(ctx.inputResponses));
    const names = rounds[round++];
    if (!names) return 'done';
    return inputRequired({ requests: Object.fromEntries(names.map(name => [name, form(name)])) });
  };
  return { handler, seen };
}

/** Writes into the answer that it gets, in each of its rounds. */
async function scribble(ctx: Context) {
  const answer = await ctx.answerTo('text', TEXT);
  if (answer?.action !== 'accept') return inputRequired({ requests: { text: form('text?') } });
  answer.content.text += '!';
  const other = ctx.inputResponses?.has('other');
  return other ? answer.content.text : inputRequired({ requests: { other: form('other?') } });
}

it('brings no process down: answers that do not fit, of which only one is waited for', async () => {
  const { call } = await serveAsking(async ctx => {
    const [one, two] = [ctx.answerTo('a', NAME), ctx.answerTo('b', NAME)];
    await one;
    await two;
    return 'done';
  });
  const first = await call({});
  expect(first.text).toBe('done');
  const { error } = await first.respond({ a: accepted({}), b: accepted({}) });
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('the answer to "a"') });
});

describe('a handler that asks by hand', () => {
  it('gets its answers and its state back', async () => {
    const first = await (await serveAsking(greetBoth)).call();
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: form('Name 1?') },
    });
    const second = await first.respond({ who: accepted({ name: 'Ada' }) });
    expect(second.messages).toEqual(['Name 2?']);
    expect((await second.respond({ who: accepted({ name: 'Ben' }) })).text).toBe('Hello Ada and Ben');
  });

  it('gets all answers so far, also those of earlier rounds', async () => {
    const first = await (await serveAsking(askInTurn)).call();
    expect(first.questions).toEqual({ first: form('first?') });
    const second = await first.respond({ first: accepted({ name: 'Ada' }) });
    expect(second.questions).toEqual({ second: form('second?') });
    const third = await second.respond({ second: { action: 'decline' } });
    expect(JSON.parse(third.text)).toEqual([accepted({ name: 'Ada' }), { action: 'decline' }]);
  });

  it('keeps the answer that was given, whatever comes for a question that is not asked again', async () => {
    const second = await (await (await serveAsking(askInTurn)).call()).respond({
      first: accepted({ name: 'Ada' }),
    });
    const third = await second.respond({
      first: accepted({ name: 'Eve' }),
      second: accepted({ name: 'Ben' }),
    });
    expect(JSON.parse(third.text)).toEqual([accepted({ name: 'Ada' }), accepted({ name: 'Ben' })]);
  });

  it('does not get the old answer to what it asks again', async () => {
    const { handler, seen } = tellAnswers(['a', 'b'], ['a'], ['c']);
    const first = await (await serveAsking(handler)).call();
    const second = await first.respond({ a: accepted({ name: 'A' }), b: accepted({ name: 'B' }) });
    const third = await second.respond({});
    expect((await third.respond({ c: accepted({ name: 'C' }) })).text).toBe('done');
    expect(seen).toEqual([
      undefined,
      { a: accepted({ name: 'A' }), b: accepted({ name: 'B' }) },
      { b: accepted({ name: 'B' }) },
      { b: accepted({ name: 'B' }), c: accepted({ name: 'C' }) },
    ]);
  });

  it('does not get answers to what it did not ask, or not in the round before', async () => {
    const { handler, seen } = tellAnswers(['a', '__proto__'], ['b']);
    const first = await (await serveAsking(handler)).call();
    const second = await first.respond({ c: accepted({}), toString: accepted({}) });
    expect((await second.respond({ a: accepted({ name: 'late' }), b: accepted({}) })).text).toBe('done');
    expect(seen).toEqual([undefined, {}, { b: accepted({}) }]);
  });

  it('gets answers to names that objects have of their own', async () => {
    const { handler, seen } = tellAnswers(['__proto__'], ['constructor']);
    const first = await (await serveAsking(handler)).call();
    const second = await first.respond(JSON.parse('{"__proto__":{"action":"cancel"}}'));
    await second.respond({ constructor: { action: 'decline' } });
    expect(seen.slice(1)).toEqual([
      JSON.parse('{"__proto__":{"action":"cancel"}}'),
      JSON.parse('{"__proto__":{"action":"cancel"},"constructor":{"action":"decline"}}'),
    ]);
  });

  it('gets its answers as they came, whatever it did to them before', async () => {
    const second = await (await (await serveAsking(scribble)).call()).respond({
      text: accepted({ text: 'A' }),
    });
    expect((await second.respond({ other: { action: 'decline' } })).text).toBe('A!');
  });

  it('has its earlier answers also if a client sends only the state', async () => {
    const { handler, seen } = tellAnswers(['a'], [], []);
    const second = await (await (await serveAsking(handler)).call()).respond({ a: accepted({}) });
    expect((await (await second.retry({})).retry({})).text).toBe('done');
    expect(seen.slice(1)).toEqual([{ a: accepted({}) }, { a: accepted({}) }, { a: accepted({}) }]);
  });

  it('keeps answers that came without a state', async () => {
    const { request } = await serveAsking(askInTurn);
    const inputResponses = { first: accepted({ name: 'Ada' }) };
    const asked = await request('tools/call', { name: 'ask', arguments: {}, inputResponses });
    expect(asked.questions).toEqual({ second: form('second?') });
    const done = await asked.respond({ second: accepted({ name: 'Ben' }) });
    expect(JSON.parse(done.text)).toEqual([accepted({ name: 'Ada' }), accepted({ name: 'Ben' })]);
  });

  it('is told that its answers are too many to travel', async () => {
    const { call } = await serveAsking(askInTurn);
    const second = await (await call()).respond({ first: accepted({ name: 'a'.repeat(2 ** 20) }) });
    expect(second.error).toEqual({
      code: -32603,
      message: expect.stringMatching(/^the state of this request has more than the limit of 262144 bytes/),
      data: undefined,
    });
  });

  // covers: 2026-07-28/elicitation/state-is-protected
  it('has its state sealed: nobody can read it or put another in its place', async () => {
    const { call, client } = await serveAsking(greetBoth);
    const first = await call();
    expect(Buffer.from(first.state, 'base64url').toString('latin1')).not.toContain('names');
    for (const state of ['{"names":["Eve","Eve"]}', `${first.state}A`]) {
      const stolen = await first.retryWith(state);
      expect(stolen.error).toEqual(INVALID_STATE);
    }
    const other = { name: 'ask', arguments: { other: 1 }, requestState: first.state };
    await expect(client.request('tools/call', other)).rejects.toMatchObject({ code: -32602 });
  });

  it('may keep text that is no JSON, or nothing', async () => {
    for (const state of ['', 'plain text', '"', undefined]) {
      const { call } = await serveAsking(ctx =>
        ctx.inputResponses
          ? JSON.stringify([ctx.requestState])
          : inputRequired({ requests: { a: form('?') }, state }),
      );
      const second = await (await call()).respond({});
      expect(JSON.parse(second.text)).toEqual([state ?? null]);
    }
  });

  it('may ask nothing and only be called again', async () => {
    const { call } = await serveAsking(ctx =>
      ctx.requestState === undefined ? inputRequired({ state: 'later' }) : `again with ${ctx.requestState}`,
    );
    const first = await call();
    expect(first.result).not.toHaveProperty('inputRequests');
    expect((await first.retry({})).text).toBe('again with later');
  });

  it('is told what does not fit', async () => {
    const first = await (await serveAsking(greetBoth)).call();
    const cases: [object, string][] = [
      [accepted({ name: '' }), 'the answer to "who" does not fit: name: '],
      [accepted({}), 'the answer to "who" does not fit: name: '],
      [{ action: 'accept' }, 'the answer to "who" does not fit: name: '],
      [{ roots: [] }, "the client's answer to elicitation/create is not a result of elicitation/create"],
    ];
    for (const [response, message] of cases) {
      const { error } = await first.respond({ who: response });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
    }
    expect((await first.respond({ who: { action: 'decline' } })).text).toBe('stopped: decline');
  });

  it('is told when its own state does not fit its schema', async () => {
    const { call, errors } = await serveAsking(async ctx =>
      ctx.requestState === undefined
        ? inputRequired({ state: { names: 7 } })
        : JSON.stringify(await ctx.stateAs(z.object({ names: z.array(z.string()) }))),
    );
    expect((await (await call()).retry({})).result.isError).toBe(true);
    expect(errors).toMatchObject([
      {
        name: 'UsageError',
        message: expect.stringMatching(/^the state of this round does not fit its schema: names: /),
      },
    ]);
  });

  it('does not repeat its steps', async () => {
    let ran = 0;
    const { call } = await serveAsking(async ctx => {
      const n = await ctx.step('count', () => ++ran);
      if ((ctx.inputResponses?.size ?? 0) > 0) return `step ${n}`;
      return inputRequired({ requests: { who: form('?') } });
    });
    const again = await (await call()).respond({});
    expect((await again.respond({ who: accepted({}) })).text).toBe('step 1');
    expect(ran).toBe(1);
  });

  it('may also just ask: answers from before are still there', async () => {
    const { call } = await serveAsking(async ctx => {
      const text = await askText(ctx, 'first');
      const answer = await ctx.answerTo('who', NAME);
      return answer?.action === 'accept'
        ? `${text} ${answer.content.name}`
        : inputRequired({ requests: { who: form('then') } });
    });
    const second = await (await call()).answer({ first: 'A' });
    expect(second.messages).toEqual(['then']);
    expect((await second.respond({ who: accepted({ name: 'Ada' }) })).text).toBe('A Ada');
  });

  it('may just ask afterwards: its answers and its state are still there', async () => {
    const { call } = await serveAsking(async ctx => {
      const answer = await ctx.answerTo('q0', NAME);
      if (!answer) return inputRequired({ requests: { q0: form('by hand') }, state: 'mine' });
      const texts = [await askText(ctx, 'one'), await askText(ctx, 'two')];
      return JSON.stringify([answer, ctx.requestState, ...texts]);
    });
    const second = await (await call()).respond({ q0: accepted({ name: 'Ada' }) });
    const third = await second.answer({ one: '1' });
    const done = await third.answer({ two: '2' });
    expect(JSON.parse(done.text)).toEqual([accepted({ name: 'Ada' }), 'mine', '1', '2']);
  });

  it('is stopped in round 16', async () => {
    let round = await (await serveAsking(() => inputRequired({ state: 'again' }))).call();
    let rounds = 1;
    for (; round.result; rounds++) round = await round.retry({});
    expect(rounds).toBe(16);
    expect(round.error).toMatchObject({
      code: -32603,
      message: 'the handler is not done after 16 rounds, which is the limit',
    });
  });

  it('works in prompts and resources', async () => {
    const ask = (ctx: Context) =>
      ctx.inputResponses?.has('who') ? 'thanks' : inputRequired({ requests: { who: form('?') } });
    const { request } = await serveAsking(greetBoth, {
      add: server => {
        server.prompt('p', {}, (_args, ctx) => ask(ctx));
        server.resource('r://x', { cacheHint: { ttlMs: 1000, cacheScope: 'public' } }, (_variables, ctx) =>
          ask(ctx),
        );
      },
    });
    for (const [method, params] of [
      ['prompts/get', { name: 'p' }],
      ['resources/read', { uri: 'r://x' }],
    ] as const) {
      const first = await request(method, params);
      expect(Object.keys(first.result).sort()).toEqual([
        '_meta',
        'inputRequests',
        'requestState',
        'resultType',
      ]);
      expect(JSON.stringify((await first.respond({ who: accepted({}) })).result)).toContain('thanks');
    }
  });

  it.each([
    { resultType: 'input_required' },
    { resultType: 'input_required', inputRequests: 'what?' },
    { resultType: 'input_required', requestState: 7 },
  ])('and returns %j has failed', async returned => {
    const { call, errors } = await serveAsking(() => returned);
    expect((await call()).result.isError).toBe(true);
    expect(errors).toHaveLength(1);
  });
});

describe('the same handler on the handshake revisions', () => {
  const serveLegacy = (
    handler: (ctx: Context) => unknown,
    answer: (message: string) => object | Promise<object>,
    revision = '2025-11-25',
  ) =>
    serveAsking(handler, {
      revision,
      answers: { 'elicitation/create': params => answer(params.message as string), ping: () => ({}) },
    });

  it.each(['2025-06-18', '2025-11-25'])('works, because Tenon asks for it: %s', async revision => {
    const asked: string[] = [];
    const names = ['Ada', 'Ben'];
    const { call } = await serveLegacy(
      greetBoth,
      message => {
        asked.push(message);
        return accepted({ name: names[asked.length - 1] });
      },
      revision,
    );
    expect((await call()).text).toBe('Hello Ada and Ben');
    expect(asked).toEqual(['Name 1?', 'Name 2?']);
  });

  it.each(['2025-06-18', '2025-11-25'])('gets all answers so far: %s', async revision => {
    const asked: string[] = [];
    const answer = (message: string) => {
      asked.push(message);
      return accepted({ name: message });
    };
    const { call } = await serveLegacy(askInTurn, answer, revision);
    expect(JSON.parse((await call()).text)).toEqual([
      accepted({ name: 'first?' }),
      accepted({ name: 'second?' }),
    ]);
    expect(asked).toEqual(['first?', 'second?']);
  });

  it('gets the newest answer of a name', async () => {
    const { handler, seen } = tellAnswers(['a', 'b'], ['a'], []);
    let count = 0;
    const { call } = await serveLegacy(handler, () => accepted({ name: `${++count}` }));
    expect((await call()).text).toBe('done');
    expect(seen).toEqual([
      undefined,
      { a: accepted({ name: '1' }), b: accepted({ name: '2' }) },
      { a: accepted({ name: '3' }), b: accepted({ name: '2' }) },
      { a: accepted({ name: '3' }), b: accepted({ name: '2' }) },
    ]);
  });

  it('gets its answers as they came, whatever it did to them before', async () => {
    const { call } = await serveLegacy(scribble, () => accepted({ text: 'A' }));
    expect((await call()).text).toBe('A!');
  });

  it('hears of a declined or cancelled form', async () => {
    for (const action of ['decline', 'cancel']) {
      const { call } = await serveLegacy(greetBoth, () => ({ action }));
      expect((await call()).text).toBe(`stopped: ${action}`);
    }
  });

  it('does not repeat its steps, also those that come later', async () => {
    const ran: string[] = [];
    const { call } = await serveLegacy(
      async ctx => {
        const one = await ctx.step('one', () => ran.push('one'));
        if (!ctx.inputResponses) return inputRequired({ requests: { who: form('a') }, state: 'a' });
        const two = await ctx.step('two', () => ran.push('two'));
        if (ctx.requestState === 'a') return inputRequired({ requests: { who: form('b') }, state: 'b' });
        return `${one} ${two}`;
      },
      () => accepted({ name: 'Ada' }),
    );
    expect((await call()).text).toBe('1 2');
    expect(ran).toEqual(['one', 'two']);
  });

  it('may also just ask, and is not asked the same twice', async () => {
    const asked: string[] = [];
    const { call } = await serveLegacy(
      async ctx => {
        const first = await askText(ctx, 'first');
        const answer = await ctx.answerTo('who', TEXT);
        if (!answer) return inputRequired({ requests: { who: form('then') } });
        const last = await askText(ctx, 'last');
        await ctx.ping();
        return [first, answer.action === 'accept' && answer.content.text, last].join();
      },
      message => {
        asked.push(message);
        return accepted({ text: message.toUpperCase() });
      },
    );
    expect((await call()).text).toBe('FIRST,THEN,LAST');
    expect(asked).toEqual(['first', 'then', 'last']);
  });

  it('gets all the answers that it asked for at once', async () => {
    const { call } = await serveLegacy(
      async ctx => {
        const answers = await Promise.all([ctx.answerTo('a', NAME), ctx.answerTo('b', NAME)]);
        if (!ctx.inputResponses) return inputRequired({ requests: { a: form('a?'), b: form('b?') } });
        return JSON.stringify(answers);
      },
      message => accepted({ name: message }),
    );
    expect(JSON.parse((await call()).text)).toEqual([accepted({ name: 'a?' }), accepted({ name: 'b?' })]);
  });

  it('is stopped in round 16', async () => {
    let rounds = 0;
    const { call } = await serveLegacy(
      () => {
        rounds++;
        return inputRequired({ requests: { who: form('?') } });
      },
      () => accepted({ name: 'Ada' }),
    );
    expect((await call()).error).toMatchObject({
      code: -32603,
      message: 'the handler is not done after 16 rounds, which is the limit',
    });
    expect(rounds).toBe(16);
  });

  it('fails the call if the client answers with an error', async () => {
    const { call } = await serveLegacy(greetBoth, () => {
      throw new McpError(-1, 'the user is away');
    });
    const text = 'the client answered elicitation/create with an error: the user is away';
    expect((await call()).result).toEqual({ content: [{ type: 'text', text }], isError: true });
  });

  it('may read what was asked with a schema of any kind', async () => {
    const { call } = await serveLegacy(
      async ctx => {
        const answer = await ctx.answerTo('who', TEXT);
        return answer ? JSON.stringify(answer) : inputRequired({ requests: { who: form('?') } });
      },
      () => accepted({ text: 'A' }),
    );
    expect(JSON.parse((await call()).text)).toEqual(accepted({ text: 'A' }));
  });
});
