import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Context, Server } from '../../src/server/index.js';
import { accepted, askText, INVALID_STATE, serveAsking, TEXT } from './asking.js';

const three = async (ctx: Context) =>
  (await Promise.all(['a', 'b', 'c'].map(message => askText(ctx, message)))).join(' ');

describe('questions asked in one turn', () => {
  // covers: 2026-07-28/mrtr/keys-are-unique, 2026-07-28/mrtr/questions-or-state
  it('go out together, each under a name of its own', async () => {
    const { call } = await serveAsking(three);
    const first = await call();
    expect(first.messages).toEqual(['a', 'b', 'c']);
    expect(new Set(Object.keys(first.questions)).size).toBe(3);
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: first.questions,
      requestState: expect.stringMatching(/^[\w-]+$/),
      _meta: expect.anything(),
    });
  });

  // covers: 2026-07-28/elicitation/form-has-a-schema, 2026-07-28/elicitation/request-has-mode-and-message
  // covers: 2026-07-28/elicitation/url-has-mode-message-and-url
  // covers: 2026-07-28/mrtr/questions-are-input-requests, 2026-07-28/mrtr/requests-are-of-three-kinds
  it('may be of every kind', async () => {
    const { call } = await serveAsking(async ctx => {
      const [form, page, model, roots] = await Promise.all([
        ctx.elicit('form', TEXT),
        ctx.elicitUrl('page', 'https://example.com/sign-in'),
        ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 }),
        ctx.roots(),
      ]);
      return JSON.stringify([form, page, model.content, roots]);
    });
    const first = await call();
    expect(first.messages).toEqual(['form', 'page', 'sampling/createMessage', 'roots/list']);
    expect(first.questions).toEqual({
      q0: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'form', requestedSchema: TEXT },
      },
      q1: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'page', url: 'https://example.com/sign-in' },
      },
      q2: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 },
      },
      q3: { method: 'roots/list', params: {} },
    });
    const content = { type: 'text', text: 'hello' };
    const second = await first.respond({
      q0: accepted({ text: 'A' }),
      q1: { action: 'accept' },
      q2: { role: 'assistant', model: 'm', content },
      q3: { roots: [{ uri: 'file:///work' }] },
    });
    const form = { action: 'accept', content: { text: 'A' } };
    expect(JSON.parse(second.text)).toEqual([form, { action: 'accept' }, content, [{ uri: 'file:///work' }]]);
  });
});

describe('answers', () => {
  // covers: 2026-07-28/mrtr/missing-responses-are-asked-again
  it('that are missing are asked for again, and only those', async () => {
    const { call } = await serveAsking(three);
    const first = await call();
    const second = await first.answer({ b: 'B' });
    expect(second.messages).toEqual(['a', 'c']);
    const third = await second.answer({ c: 'C' });
    expect(third.messages).toEqual(['a']);
    expect((await third.answer({ a: 'A' })).text).toBe('A B C');
  });

  it('may be missing altogether: the same is asked, under the same names', async () => {
    const { call } = await serveAsking(three);
    const first = await call();
    for (const again of [await first.respond({}), await first.retry({})]) {
      expect(again.questions).toEqual(first.questions);
      expect((await again.answer({ a: 'A', b: 'B', c: 'C' })).text).toBe('A B C');
    }
  });

  // covers: 2026-07-28/mrtr/unknown-responses-are-ignored
  it('to what was never asked are ignored', async () => {
    const { call } = await serveAsking(three);
    const first = await call();
    const strange = Object.fromEntries(
      ['q3', 'q-1', 'q00', 'q1.0', 'Q0', '', '__proto__', 'constructor', 'length'].map(key => [
        key,
        accepted({ text: 'strange' }),
      ]),
    );
    const second = await first.respond(
      JSON.parse(JSON.stringify({ ...strange, q0: accepted({ text: 'A' }) })),
    );
    expect(second.messages).toEqual(['b', 'c']);
    expect((await second.answer({ b: 'B', c: 'C' })).text).toBe('A B C');
  });

  it('given once stay: what comes later under the same name is ignored', async () => {
    const { call } = await serveAsking(three);
    const second = await (await call()).answer({ a: 'A' });
    const third = await second.respond({ q0: accepted({ text: 'X' }), q1: accepted({ text: 'B' }) });
    expect((await third.answer({ c: 'C' })).text).toBe('A B C');
  });

  it('without a state are answers to nothing', async () => {
    const { call, client } = await serveAsking(three);
    const first = await call();
    const second = await client.request('tools/call', {
      name: 'ask',
      arguments: {},
      inputResponses: { q0: accepted({ text: 'A' }) },
    });
    expect(second.inputRequests).toEqual(first.questions);
  });

  it('accumulate over many rounds', async () => {
    const { call } = await serveAsking(async ctx => {
      const texts: string[] = [];
      for (let n = 1; n <= 12; n++) texts.push(await askText(ctx, `q${n}`));
      return texts.join(' ');
    });
    const last = await (await call()).finish();
    expect(last.text).toBe('Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q8 Q9 Q10 Q11 Q12');
  });

  it('belong to the handler: what it does to one does not show in the next round', async () => {
    const { call } = await serveAsking(async ctx => {
      const first = await ctx.elicit('one', TEXT);
      if (first.action === 'accept') first.content.text += '!';
      await askText(ctx, 'two');
      await askText(ctx, 'three');
      return JSON.stringify(first);
    });
    const last = await (await call()).finish();
    expect(JSON.parse(last.text)).toEqual({ action: 'accept', content: { text: 'ONE!' } });
  });
});

// covers: 2026-07-28/mrtr/malformed-responses-are-errors, 2026-07-28/mrtr/responses-are-validated
// covers: 2026-07-28/sampling/content-is-validated
describe('an answer of the wrong shape is refused, and the right one may follow', () => {
  const shapes: [string, (ctx: Context) => Promise<unknown>, object[]][] = [
    [
      'elicitation/create',
      ctx => ctx.elicit('?', TEXT),
      [{}, { action: 'maybe' }, { content: { text: 'A' } }, { roots: [] }],
    ],
    ['elicitation/create', ctx => ctx.elicitUrl('?', 'https://example.com'), [{}, { action: 1 }]],
    [
      'sampling/createMessage',
      ctx => ctx.sample({ messages: [], maxTokens: 1 }),
      [
        {},
        { role: 'assistant', content: [] },
        { role: 'assistant', model: 'm', content: 'text' },
        { role: 'robot', model: 'm', content: { type: 'text', text: 'A' } },
        { role: 'assistant', model: 5, content: { type: 'text', text: 'A' } },
        { role: 'assistant', model: 'm', content: {} },
        { role: 'assistant', model: 'm', content: { type: 'text' } },
        { role: 'assistant', model: 'm', content: { type: 'image', data: 'AAAA' } },
        { role: 'assistant', model: 'm', content: [{ type: 'text', text: 'A' }, { type: 'smell' }] },
        { role: 'assistant', model: 'm', content: [{ type: 'tool_use', id: '1', name: 'x' }] },
        { role: 'assistant', model: 'm', content: [{ type: 'tool_result', content: [] }] },
        { action: 'accept' },
      ],
    ],
    [
      'roots/list',
      ctx => ctx.roots(),
      [
        {},
        { roots: {} },
        { roots: [{}] },
        { roots: ['file:///'] },
        { roots: [{ uri: 'file:///', name: 5 }] },
      ],
    ],
  ];

  it.each(shapes)('%s', async (method, ask, wrong) => {
    const { call, errors } = await serveAsking(async ctx => JSON.stringify(await ask(ctx)));
    const first = await call();
    for (const response of wrong) {
      const { error } = await first.respond({ q0: response });
      const message = `the client's answer to ${method} is not a result of ${method}`;
      expect(error, JSON.stringify(response)).toEqual({ code: -32602, message, data: undefined });
    }
    expect(errors).toEqual([]);
    const right = {
      'elicitation/create': accepted({ text: 'A' }),
      'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'A' } },
      'roots/list': { roots: [] },
    }[method as 'roots/list'];
    expect((await first.respond({ q0: right })).error).toBeUndefined();
  });

  it.each([[null], ['text'], [7], [[]], [{ q0: null }], [{ q0: 'accept' }], [{ q0: [] }], [{ q0: true }]])(
    'inputResponses: %j',
    async inputResponses => {
      const first = await (await serveAsking(three)).call();
      const message = 'inputResponses must be an object whose values are results';
      const error = { code: -32602, message, data: undefined };
      expect((await first.respond(inputResponses)).error).toEqual(error);
    },
  );

  it.each([[null], [7], [true], [{}], [['state']]])('requestState: %j', async requestState => {
    const first = await (await serveAsking(three)).call();
    const message = 'requestState must be the string that the server sent';
    expect((await first.retryWith(requestState)).error).toEqual({ code: -32602, message, data: undefined });
  });

  it.each([[''], ['x'], ['AAAA'], ['{"n":1}'], ['é'], ['\u0000']])('requestState: %j', async requestState => {
    const first = await (await serveAsking(three)).call();
    expect((await first.retryWith(requestState)).error).toEqual(INVALID_STATE);
  });
});

describe('an answer that does not fit its form', () => {
  const party = z.object({ guests: z.number().int().min(1) });
  const serveParty = () =>
    serveAsking(async ctx => {
      const answer = await ctx.elicit('How many?', party);
      return JSON.stringify(answer);
    });

  // covers: 2026-07-28/elicitation/server-validates-answers
  it('is asked for again, with the reason', async () => {
    const first = await (await serveParty()).call();
    const second = await first.respond({ q0: accepted({ guests: 0 }) });
    expect(second.messages[0]).toMatch(/^How many\?\n\(The last answer did not fit: guests: .+\)$/);
    const third = await second.respond({ q1: { action: 'accept' } });
    expect(third.messages[0]).toMatch(/^How many\?\n\(The last answer did not fit: guests: .+\)$/);
    const last = await third.respond({ q2: accepted({ guests: 2 }) });
    expect(JSON.parse(last.text)).toEqual({ action: 'accept', content: { guests: 2 } });
  });

  it('is given up after three times', async () => {
    let round = await (await serveParty()).call();
    for (const key of ['q0', 'q1', 'q2']) round = await round.respond({ [key]: accepted({ guests: 0 }) });
    expect(round.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^the client gave 3 answers that do not fit: guests: /),
    });
  });

  it.each([[null], ['text'], [[]], [7]])('may have the content %j', async content => {
    const first = await (await serveParty()).call();
    const second = await first.respond({ q0: { action: 'accept', content } });
    expect(second.messages[0]).toContain('The last answer did not fit');
  });

  it('does not disturb the answers to other questions of the same round', async () => {
    const { call } = await serveAsking(async ctx => {
      const [text, answer] = await Promise.all([askText(ctx, 'text'), ctx.elicit('How many?', party)]);
      return `${text} ${JSON.stringify(answer)}`;
    });
    const first = await call();
    const second = await first.respond({ q0: accepted({ text: 'A' }), q1: accepted({ guests: 0 }) });
    expect(second.messages).toEqual([expect.stringContaining('did not fit')]);
    const third = await second.respond({ q2: accepted({ guests: 1 }) });
    expect(third.text).toBe('A {"action":"accept","content":{"guests":1}}');
  });

  // covers: 2026-07-28/elicitation/decline-and-cancel-are-handled
  it.each(['decline', 'cancel'])('does not matter if the user chose to %s', async action => {
    const first = await (await serveParty()).call();
    const last = await first.respond({ q0: { action, content: { guests: 0 } } });
    expect(JSON.parse(last.text)).toEqual({ action });
  });
});

describe('methods without rounds', () => {
  it.each(['tools/list', 'resources/list', 'server/discover', 'completion/complete'])(
    '%s ignores answers and states',
    async method => {
      const { client } = await serveAsking(three, {
        add: server => {
          server.resource('a://b', {}, () => 'text');
          server.prompt(
            'p',
            { input: z.object({ x: z.string() }), complete: { x: () => ['y'] } },
            () => 'text',
          );
        },
      });
      const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } };
      const plain = await client.request(method, params);
      for (const extra of [
        { inputResponses: 7 },
        { requestState: 'x' },
        { inputResponses: {}, requestState: 1 },
      ]) {
        expect(await client.request(method, { ...params, ...extra })).toEqual(plain);
      }
    },
  );

  // covers: 2026-07-28/mrtr/only-three-methods
  it('cannot ask, and say so', async () => {
    const { request } = await serveAsking(three, {
      add: server => server.method('acme/ask', async (_params, ctx) => ({ answer: await askText(ctx, 'q') })),
    });
    expect((await request('acme/ask', {})).error).toEqual({
      code: -32603,
      message: 'a handler of acme/ask cannot ask: only tools/call, prompts/get, resources/read have rounds',
      data: undefined,
    });
  });
});

describe('prompts and resources', () => {
  const asking = {
    add: (server: Server) => {
      server.prompt('greet', {}, async (_args, ctx) => `Hello ${await askText(ctx, 'name')}`);
      server.resource(
        'note://{id}',
        { cacheHint: { ttlMs: 60_000, cacheScope: 'public' } },
        async ({ id }, ctx) => `${id}: ${await askText(ctx, 'name')}`,
      );
    },
  };

  it('a prompt asks', async () => {
    const { request } = await serveAsking(three, asking);
    const first = await request('prompts/get', { name: 'greet' });
    expect(first.messages).toEqual(['name']);
    const second = await first.answer({ name: 'Ada' });
    expect(second.result.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }]);
  });

  // covers: 2026-07-28/caching/hints-on-complete-results
  it('a resource asks, and neither the question nor what depends on the answer may be cached', async () => {
    const { request } = await serveAsking(three, asking);
    const first = await request('resources/read', { uri: 'note://1' });
    expect(Object.keys(first.result).sort()).toEqual([
      '_meta',
      'inputRequests',
      'requestState',
      'resultType',
    ]);
    const second = await first.answer({ name: 'Ada' });
    expect(second.result).toMatchObject({
      contents: [{ uri: 'note://1', text: '1: Ada' }],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });
});
