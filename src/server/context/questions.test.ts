import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connectRaw, type RawClient, type RawClientOptions } from '../../../test/raw-client.js';
import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { Progress } from '../../protocol/call.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { McpError } from '../../protocol/errors.js';
import type { CreateMessageParams } from '../../protocol/input.js';
import { questionProblem } from '../../protocol/question-problem.js';
import type { Schema } from '../schema/schema.js';
import { Server } from '../server.js';
import type { Context } from './context.js';

const REVISION = '2025-11-25';
const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};
const PARTY = z.object({ guests: z.number().int().min(1), name: z.string().optional() });
const SAMPLE: CreateMessageParams = {
  maxTokens: 10,
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
};

/** A form with one field. */
const form = (a: object): Schema => ({ type: 'object', properties: { a } });

let reported: unknown[];
let client: RawClient;

beforeEach(() => {
  reported = [];
});

/** What a tool gets that asks a client of a handshake revision: the answer, or what was thrown. */
async function ask<T>(
  question: (ctx: Context) => Promise<T>,
  answers: RawClientOptions['answers'] = {},
  capabilities = EVERYTHING,
): Promise<{ answer?: T; thrown?: unknown; result: JsonObject }> {
  const outcome: { answer?: T; thrown?: unknown } = {};
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: error => reported.push(error) });
  server.tool('ask', {}, async (_, ctx) => {
    try {
      outcome.answer = await question(ctx);
    } catch (thrown) {
      outcome.thrown = thrown;
      throw thrown;
    }
  });
  client = await connectRaw(server, { revision: REVISION, capabilities, answers });
  const result = await client.request('tools/call', { name: 'ask' }).catch((error: unknown) => ({ error }));
  return { ...outcome, result };
}

describe('a question to the user', () => {
  const elicit = (answers: RawClientOptions['answers'], capabilities?: ClientCapabilities) =>
    ask(ctx => ctx.elicit('How many?', PARTY), answers, capabilities);
  const answering = (...replies: object[]) => {
    const asked: JsonObject[] = [];
    const reply = (params: JsonObject) => {
      asked.push(params);
      return replies[Math.min(asked.length, replies.length) - 1] as object;
    };
    return { asked, answers: { 'elicitation/create': reply } };
  };

  it('is answered with what the user entered, checked', async () => {
    const { answers } = answering({ action: 'accept', content: { guests: 2, other: 1 } });
    expect((await elicit(answers)).answer).toEqual({ action: 'accept', content: { guests: 2 } });
  });

  // covers: 2025-11-25/elicitation/ui-offers-decline-and-cancel
  it.each(['decline', 'cancel'])('may end with %s, and then has no content', async action => {
    const { answers } = answering({ action, content: { guests: 2 } });
    expect((await elicit(answers)).answer).toEqual({ action });
  });

  // covers: 2025-11-25/elicitation/server-validates-answers
  it('is asked again if the answer does not fit, and says why', async () => {
    const { asked, answers } = answering(
      { action: 'accept', content: { guests: 0 } },
      { action: 'accept' },
      { action: 'accept', content: { guests: 1 } },
    );
    expect((await elicit(answers)).answer).toEqual({ action: 'accept', content: { guests: 1 } });
    const messages = asked.map(({ message }) => message);
    expect(messages[0]).toBe('How many?');
    expect(messages[1]).toMatch(/^How many\?\n\(The last answer did not fit: guests: .*\)$/);
    expect(messages[2]).toMatch(/^How many\?\n\(The last answer did not fit: guests: .*\)$/);
    expect(asked.map(({ requestedSchema }) => requestedSchema)).toEqual(
      Array(3).fill(asked[0]?.requestedSchema),
    );
  });

  it('is given up after three answers that do not fit', async () => {
    const { asked, answers } = answering({ action: 'accept', content: { guests: 0 } });
    const { thrown } = await elicit(answers);
    expect(asked).toHaveLength(3);
    expect(thrown).toMatchObject({
      message: expect.stringMatching(/gave 3 answers that do not fit: guests/),
    });
  });

  it.each([{}, { action: 'maybe' }, { content: { guests: 1 } }])(
    'cannot be answered with %j',
    async reply => {
      const { answers } = answering(reply);
      const { thrown } = await elicit(answers);
      expect(thrown).toBeInstanceOf(McpError);
      expect((thrown as Error).message).toContain('answer to elicitation/create');
    },
  );

  it('fills in defaults of the schema', async () => {
    const schema = z.object({ room: z.enum(['inside', 'outside']).default('inside') });
    const { answers } = answering({ action: 'accept', content: {} });
    const { answer } = await ask(ctx => ctx.elicit('Where?', schema), answers);
    expect(answer).toEqual({ action: 'accept', content: { room: 'inside' } });
  });

  it('may be described by a JSON Schema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    const { asked, answers } = answering(
      { action: 'accept', content: { n: 1.5 } },
      { action: 'accept', content: { n: 1 } },
    );
    const { answer } = await ask(ctx => ctx.elicit('n?', schema), answers);
    expect(answer).toEqual({ action: 'accept', content: { n: 1 } });
    expect(asked).toHaveLength(2);
  });

  it('checks the formats of a JSON Schema, because they say what the user must enter', async () => {
    const schema = { type: 'object', properties: { mail: { type: 'string', format: 'email' } } } as const;
    const { asked, answers } = answering(
      { action: 'accept', content: { mail: 'ann' } },
      { action: 'accept', content: { mail: 'ann@example.com' } },
    );
    const { answer } = await ask(ctx => ctx.elicit('Where to?', schema), answers);
    expect(answer).toEqual({ action: 'accept', content: { mail: 'ann@example.com' } });
    expect(asked[1]?.message).toBe('Where to?\n(The last answer did not fit: mail must be an email address)');
  });

  it.each([
    ['an object inside', z.object({ a: z.object({ b: z.string() }) }), 'field "a"'],
    ['a list of anything', z.object({ a: z.array(z.string()) }), 'field "a"'],
    [
      'a list of a union with objects',
      z.object({ a: z.array(z.union([z.literal('b'), z.object({ c: z.string() })])) }),
      'field "a" of a question must be a string, a number, a boolean, or a choice',
    ],
    ['a list of numbers to choose from', form({ type: 'array', items: { enum: [1, 2] } }), 'field "a"'],
    [
      'a choice of numbers',
      z.object({ a: z.enum({ one: 1, two: 2 }) }),
      'choice of values that are not texts',
    ],
    [
      'a choice of objects',
      form({ type: 'string', enum: [{ b: 1 }] }),
      'choice of values that are not texts',
    ],
    ['a titled choice of objects', form({ type: 'string', oneOf: [{ const: { b: 1 } }] }), 'not texts'],
    ['an empty choice', form({ type: 'string', enum: [] }), 'not texts'],
    ['no fields', z.string(), 'an object with properties'],
  ] as [string, Schema, string][])('cannot have %s, and the author is told', async (_, schema, message) => {
    const { asked, answers } = answering({ action: 'accept' });
    const { thrown } = await ask(ctx => ctx.elicit('?', schema as never), answers);
    expect(asked).toEqual([]);
    expect(thrown).toBeInstanceOf(UsageError);
    expect((thrown as Error).message).toContain(message);
  });

  it('names every choice, because the protocol wants a title', async () => {
    const choice = [{ const: 's', title: 'Soup' }, { const: 'p' }];
    const properties = {
      one: { type: 'string', oneOf: choice },
      some: { type: 'array', items: { anyOf: choice } },
      more: { type: 'array', items: { enum: ['s'] } },
    };
    const { asked, answers } = answering({ action: 'decline' });
    await ask(ctx => ctx.elicit('?', { type: 'object', properties } as never), answers);
    const titled = [
      { const: 's', title: 'Soup' },
      { const: 'p', title: 'p' },
    ];
    expect(asked[0]?.requestedSchema).toMatchObject({
      properties: {
        one: { oneOf: titled },
        some: { items: { anyOf: titled } },
        more: { items: { type: 'string', enum: ['s'] } },
      },
    });
  });

  it('shows only keywords that forms have, and checks the others on this side', async () => {
    const schema = z.object({ even: z.number().multipleOf(2).positive(), mail: z.email() });
    const { asked, answers } = answering({ action: 'decline' });
    await ask(ctx => ctx.elicit('?', schema), answers);
    expect(asked[0]?.requestedSchema).toEqual({
      type: 'object',
      properties: { even: { type: 'number' }, mail: { type: 'string', format: 'email' } },
      required: ['even', 'mail'],
    });
  });
});

describe('a page for the user', () => {
  it('ends with what the user did', async () => {
    const answers = { 'elicitation/create': () => ({ action: 'accept' }) };
    const { answer } = await ask(ctx => ctx.elicitUrl('Sign in', 'https://example.com/'), answers);
    expect(answer).toEqual({ action: 'accept' });
  });

  // covers: 2025-11-25/elicitation/url-is-valid
  it('must have a URL', async () => {
    const { thrown } = await ask(ctx => ctx.elicitUrl('Sign in', 'nowhere'));
    expect(thrown).toBeInstanceOf(UsageError);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,hi'])(
    'must be on the web, unlike %s',
    async url => {
      const params = { mode: 'url' as const, message: 'Sign in', url, elicitationId: '1' };
      const { thrown } = await ask(ctx => ctx.elicitUrl('Sign in', url));
      expect(thrown).toBeInstanceOf(UsageError);
      expect((thrown as Error).message).toContain('must be a URL such as https:');
      expect(questionProblem({ method: 'elicitation/create', params })).toContain('must begin with https:');
    },
  );
});

describe('a question to the model', () => {
  it.each([{ mode: 'sometimes' }, 'auto', null])('has no tool choice such as %j', async toolChoice => {
    const { thrown } = await ask(ctx => ctx.sample({ ...SAMPLE, tools: [], toolChoice } as never));
    expect(thrown).toBeInstanceOf(UsageError);
    expect((thrown as Error).message).toContain('toolChoice');
  });

  it('is answered with a message', async () => {
    const reply = {
      role: 'assistant',
      content: { type: 'text', text: 'Hello' },
      model: 'm',
      stopReason: 'endTurn',
    };
    const { answer } = await ask(ctx => ctx.sample(SAMPLE), { 'sampling/createMessage': () => reply });
    expect(answer).toEqual(reply);
  });

  it.each([{}, { model: 'm' }, { content: [] }])('cannot be answered with %j', async reply => {
    const { thrown } = await ask(ctx => ctx.sample(SAMPLE), { 'sampling/createMessage': () => reply });
    expect(thrown).toBeInstanceOf(McpError);
    expect((thrown as Error).message).toContain('answer to sampling/createMessage');
  });
});

describe('a question for the roots', () => {
  it('is answered with the list', async () => {
    const roots = [{ uri: 'file:///work', name: 'Work' }];
    expect((await ask(ctx => ctx.roots(), { 'roots/list': () => ({ roots }) })).answer).toEqual(roots);
  });

  it('cannot be answered with anything else', async () => {
    const { thrown } = await ask(ctx => ctx.roots(), { 'roots/list': () => ({ roots: 'none' }) });
    expect(thrown).toBeInstanceOf(McpError);
    expect((thrown as Error).message).toContain('answer to roots/list');
  });
});

describe('a question that the client did not declare to answer', () => {
  const sampleWith = (extra: Partial<CreateMessageParams>) => (ctx: Context) =>
    ctx.sample({ ...SAMPLE, ...extra });
  const cases: [string, (ctx: Context) => Promise<unknown>, ClientCapabilities][] = [
    ['elicitation.form', ctx => ctx.elicit('?', PARTY), {}],
    ['elicitation.form', ctx => ctx.elicit('?', PARTY), { elicitation: { url: {} } }],
    ['elicitation.url', ctx => ctx.elicitUrl('?', 'https://example.com/'), { elicitation: {} }],
    ['elicitation.url', ctx => ctx.elicitUrl('?', 'https://example.com/'), { elicitation: { form: {} } }],
    ['sampling', sampleWith({}), {}],
    ['sampling.tools', sampleWith({ tools: [] }), { sampling: {} }],
    ['sampling.tools', sampleWith({ toolChoice: {} }), { sampling: { context: {} } }],
    ['sampling.context', sampleWith({ includeContext: 'allServers' }), { sampling: { tools: {} } }],
    ['roots', ctx => ctx.roots(), { sampling: {} }],
  ];

  // covers: 2025-11-25/elicitation/only-supported-modes
  // covers: 2025-11-25/sampling/no-context-without-the-capability
  // covers: 2025-11-25/sampling/no-tools-without-the-capability
  it.each(cases)('is not sent: %s', async (capability, question, capabilities) => {
    const answer = vi.fn(() => ({}));
    const answers = { 'elicitation/create': answer, 'sampling/createMessage': answer, 'roots/list': answer };
    const { thrown, result } = await ask(question, answers, capabilities);
    expect(answer).not.toHaveBeenCalled();
    expect(thrown).toBeInstanceOf(McpError);
    expect((thrown as Error).message).toContain(`"${capability}"`);
    expect(result).toMatchObject({ isError: true, content: [{ text: (thrown as Error).message }] });
  });

  it('may ask for no context without a capability', async () => {
    const reply = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };
    const answers = { 'sampling/createMessage': () => reply };
    const { answer } = await ask(sampleWith({ includeContext: 'none' }), answers, { sampling: {} });
    expect(answer).toEqual(reply);
  });
});

describe('waiting for an answer', () => {
  const never = () => new Promise<object>(() => {});

  // covers: 2025-11-25/schema/request-id-of-a-cancellation
  it('ends after the time that the author gave, and the client is told', async () => {
    const { thrown, result } = await ask(ctx => ctx.roots({ timeoutMs: 20 }), { 'roots/list': never });
    expect(thrown).toMatchObject({
      name: 'AnswerTimeout',
      message: 'the client did not answer roots/list within 20 ms',
    });
    expect(result).toMatchObject({ isError: true, content: [{ text: (thrown as Error).message }] });
    expect(client.notifications).toMatchObject([
      {
        method: 'notifications/cancelled',
        params: { requestId: expect.any(Number), reason: 'the request timed out' },
      },
    ]);
  });

  it('goes on while the client reports progress, and passes it on', async () => {
    const seen: Progress[] = [];
    const slow = async (params: JsonObject) => {
      const { progressToken } = params._meta as JsonObject;
      for (let progress = 1; progress <= 3; progress++) {
        await new Promise(resolve => setTimeout(resolve, 500));
        await client.notify('notifications/progress', {
          progressToken,
          progress,
          total: 3,
          message: `${progress}`,
        });
      }
      return { roots: [] };
    };
    const options = { timeoutMs: 1400, onProgress: (progress: Progress) => seen.push(progress) };
    expect((await ask(ctx => ctx.roots(options), { 'roots/list': slow })).answer).toEqual([]);
    expect(seen).toEqual([1, 2, 3].map(progress => ({ progress, total: 3, message: `${progress}` })));
  });

  it('ends when the client cancels the call that asks', async () => {
    let cancel = (_reason: unknown) => {};
    const cancelled = new Promise<unknown>(resolve => {
      cancel = resolve;
    });
    await ask(ctx => ctx.roots().catch(cancel), {
      'roots/list': async () => {
        await client.notify('notifications/cancelled', { requestId: 2, reason: 'enough' });
        return never();
      },
    });
    expect(await cancelled).toMatchObject({ name: 'Cancelled', message: 'enough' });
  });

  it('ends with the error that the client answers', async () => {
    const { thrown } = await ask(ctx => ctx.sample(SAMPLE), {
      'sampling/createMessage': () => {
        throw new McpError(-1, 'User rejected sampling request');
      },
    });
    expect(thrown).toMatchObject({
      code: -1,
      message: 'the client answered sampling/createMessage with an error: User rejected sampling request',
    });
  });

  it('does not mix up answers to questions asked at the same time', async () => {
    const { answer } = await ask(
      ctx => Promise.all([3, 2, 1].map(n => ctx.elicit(`${n}`, z.object({ n: z.number() })))),
      {
        'elicitation/create': async ({ message }) => {
          await new Promise(resolve => setTimeout(resolve, Number(message) * 5));
          return { action: 'accept', content: { n: Number(message) } };
        },
      },
    );
    expect(answer).toMatchObject([{ content: { n: 3 } }, { content: { n: 2 } }, { content: { n: 1 } }]);
  });

  it('can also just check that the client is there', async () => {
    const ping = vi.fn(() => ({}));
    expect(await ask(ctx => ctx.ping(), { ping })).not.toHaveProperty('thrown');
    expect(ping).toHaveBeenCalledOnce();
  });
});

describe('a model', () => {
  const answered = (block: object) => ({
    'sampling/createMessage': () => ({ model: 'm', role: 'assistant', content: block }),
  });
  const asIs = (ctx: Context) => ctx.ask({ method: 'sampling/createMessage', params: SAMPLE });

  // covers: 2025-06-18/sampling/server-validates-messages
  it.each([
    ['is not base64', { type: 'image', data: '%%%', mimeType: 'image/png' }, 'must be base64'],
    ['has no MIME type', { type: 'audio', data: 'YWJj', mimeType: 'nonsense' }, 'the mimeType of an audio'],
  ])('may not answer with media whose data %s', async (_, block, problem) => {
    for (const question of [(ctx: Context) => ctx.sample(SAMPLE), asIs]) {
      const { thrown } = await ask<unknown>(question, answered(block));
      expect((thrown as Error).message).toContain(problem);
    }
  });

  it('may not be asked to include a context that does not exist', async () => {
    const { thrown } = await ask(ctx => ctx.sample({ ...SAMPLE, includeContext: 'zz' as 'none' }));
    expect(thrown).toBeInstanceOf(UsageError);
    expect((thrown as Error).message).toContain('none, thisServer or allServers');
  });
});

it('sends no keyword of a form that the protocol does not have, also if a question is asked as it is', async () => {
  const fields: unknown[] = [];
  const schema = form({ type: 'string', format: 'hostname', pattern: '^a', minLength: 2 }) as JsonObject;
  const params = { message: 'Where?', requestedSchema: schema };
  const { thrown } = await ask(ctx => ctx.ask({ method: 'elicitation/create', params }), {
    'elicitation/create': ({ requestedSchema }) => {
      fields.push((requestedSchema as { properties: JsonObject }).properties.a);
      return { action: 'accept', content: { a: 'bistro' } };
    },
  });
  expect(fields).toEqual([{ type: 'string', minLength: 2 }]);
  expect((thrown as Error).message).toContain('does not fit its form');
});
