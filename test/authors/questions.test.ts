import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Context, inputRequired, Server } from '../../src/server/index.js';
import { EventStream } from '../http/event-stream.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const ALL = { sampling: {}, elicitation: {}, roots: {} };
const TEXT = { role: 'user', content: { type: 'text', text: 'hi' } } as const;
const SAMPLE = { messages: [TEXT], maxTokens: 5 };

async function asking(ask: (ctx: Context) => unknown) {
  const reported: string[] = [];
  const onError = (error: unknown) => reported.push((error as Error).message);
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
  const run = async (ctx: Context) => {
    const answer = await ask(ctx);
    return (answer as { resultType?: string }).resultType ? answer : JSON.stringify(answer);
  };
  server.tool('ask', {}, async (_, ctx) => (await run(ctx)) as string);
  server.prompt('ask', {}, async (_, ctx) => (await run(ctx)) as string);
  return { url: (await serve(server)).url, reported };
}

/** Calls the tool, or gets the prompt, and answers its question with `answer`. */
async function answered(
  ask: (ctx: Context) => unknown,
  answer: object,
  { revision = '2025-06-18', method = 'tools/call' } = {},
) {
  const { url } = await asking(ask);
  const client = await LegacyClient.open(url, { revision, capabilities: ALL });
  const response = await client.post({ jsonrpc: '2.0', id: 'call', method, params: { name: 'ask' } });
  const stream = new EventStream(response, new AbortController());
  let message = await stream.message();
  while (message.method !== undefined) {
    await client.post({ jsonrpc: '2.0', id: message.id, ...answer });
    message = await stream.message();
  }
  return message;
}

const FORM = {
  type: 'object',
  properties: { age: { type: 'integer', minimum: 18 } },
  required: ['age'],
} as const;
const askForm = (ctx: Context) =>
  ctx.ask({ method: 'elicitation/create', params: { message: 'Age?', requestedSchema: FORM } });

describe('an answer that is of no use fails the tool with a text for the model:', () => {
  const cases: [string, (ctx: Context) => unknown, object, string][] = [
    [
      'an error',
      ctx => ctx.sample(SAMPLE),
      { error: { code: -1, message: 'User rejected sampling request' } },
      'the client answered sampling/createMessage with an error: User rejected sampling request',
    ],
    [
      'an error with a code of the protocol',
      ctx => ctx.roots(),
      { error: { code: -32601, message: 'no roots here' } },
      'the client answered roots/list with an error: no roots here',
    ],
    [
      'a result of another kind',
      ctx => ctx.sample(SAMPLE),
      { result: { nonsense: 1 } },
      "the client's answer to sampling/createMessage is not a result of sampling/createMessage",
    ],
    [
      'content that does not fit',
      ctx => ctx.elicit('Name?', z.object({ name: z.string() })),
      { result: { action: 'accept', content: { name: 5 } } },
      'the client gave 3 answers that do not fit',
    ],
    [
      'a root on the web',
      ctx => ctx.roots(),
      { result: { roots: [{ uri: 'http://bistro.example/' }] } },
      "the client's answer to roots/list has a root that is not a file:// URI",
    ],
    [
      'content that does not fit a form asked as it is',
      askForm,
      { result: { action: 'accept', content: { age: 5 } } },
      "the client's answer does not fit its form: age must be at least 18",
    ],
    [
      'no content for a form asked as it is',
      askForm,
      { result: { action: 'accept' } },
      "the client's answer does not fit its form",
    ],
  ];

  // covers: 2025-06-18/schema/tool-errors-are-in-the-result, 2025-06-18/elicitation/server-validates-content
  it.each(cases)('%s', async (_, ask, answer, text) => {
    for (const revision of ['2025-06-18', '2025-11-25']) {
      const { id, result, error } = await answered(ask, answer, { revision });
      expect(error).toBeUndefined();
      expect(id).toBe('call');
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toContain(text);
    }
  });

  it.each(cases)('in a prompt, %s is an internal error', async (_, ask, answer, text) => {
    const { error } = await answered(ask, answer, { method: 'prompts/get' });
    expect(error?.code).toBe(-32603);
    expect(error?.message).toContain(text);
  });

  it('a user who declines a form asked as it is need not fill it in', async () => {
    const { result } = await answered(askForm, { result: { action: 'decline' } });
    expect(result.content[0].text).toBe('{"action":"decline"}');
  });
});

// covers: 2026-07-28/mrtr/malformed-responses-are-errors
it('an answer of the wrong kind is an error of the protocol where it comes with the request', async () => {
  const { url } = await asking(ctx => ctx.roots());
  const client = new ModernClient(url);
  const meta = { [CAPABILITIES]: ALL };
  const { requestState } = (await client.call('ask', {}, { meta })).result;
  const retry = { name: 'ask', arguments: {}, requestState, inputResponses: { q0: { nonsense: 1 } } };
  const { error } = await client.request('tools/call', retry, { meta });
  expect(error?.code).toBe(-32602);
});

describe('a question that breaks the schema is not sent, and its author is told:', () => {
  const message = (content: object) => [{ role: 'user', content }];
  // covers: 2025-06-18/sampling/server-validates-messages, 2026-07-28/sampling/content-is-validated
  it.each([
    ['no maxTokens', { messages: [TEXT] }, 'its maxTokens must be a whole number, 1 or more'],
    ['maxTokens that are no number', { ...SAMPLE, maxTokens: Number.NaN }, 'its maxTokens'],
    [
      'data that is not base64',
      { ...SAMPLE, messages: message({ type: 'image', data: '%%', mimeType: 'image/png' }) },
      'the data of an image must be base64',
    ],
    [
      'an image without a type',
      { ...SAMPLE, messages: message({ type: 'image', data: 'aGk=' }) },
      'unlike one of type "image"',
    ],
    [
      'a type that is none',
      { ...SAMPLE, messages: message({ type: 'audio', data: 'aGk=', mimeType: 'loud' }) },
      'the mimeType of an audio must be one such as image/png, not "loud"',
    ],
    [
      'a resource',
      { ...SAMPLE, messages: message({ type: 'resource', resource: { uri: 'a://b', text: '' } }) },
      'unlike one of type "resource"',
    ],
    [
      'a priority of 7',
      { ...SAMPLE, modelPreferences: { costPriority: 7 } },
      'its costPriority must be a number',
    ],
    ['a temperature that is none', { ...SAMPLE, temperature: Number.NaN }, 'its temperature'],
    [
      'a block with a priority of 3',
      { ...SAMPLE, messages: message({ type: 'text', text: 'x', annotations: { priority: 3 } }) },
      'a message to a model has a block whose priority is not a number from 0 to 1',
    ],
    [
      'a block for an unknown audience',
      { ...SAMPLE, messages: message({ type: 'text', text: 'x', annotations: { audience: ['bot'] } }) },
      'a block whose audience',
    ],
    ['metadata that are a text', { ...SAMPLE, metadata: 'x' }, 'its metadata must be an object'],
    ['hints that are a text', { ...SAMPLE, modelPreferences: { hints: 'x' } }, 'its hints must be a list'],
    ['a hint that is a text', { ...SAMPLE, modelPreferences: { hints: ['x'] } }, 'its hints must be a list'],
    ['tools that are an object', { ...SAMPLE, tools: {} }, 'its tools must be a list of tools'],
    ['a tool without a schema', { ...SAMPLE, tools: [{ name: 'a' }] }, 'its tools must be a list of tools'],
    ['a toolChoice that is a text', { ...SAMPLE, toolChoice: 'auto' }, 'the mode of its toolChoice must be'],
  ])('%s', async (_, params, problem) => {
    const { url, reported } = await asking(ctx => ctx.sample(params as never));
    const client = await LegacyClient.open(url, { capabilities: ALL });
    expect((await client.call('ask')).result).toMatchObject({ isError: true });
    const retried = await new ModernClient(url).call('ask', {}, { meta: { [CAPABILITIES]: ALL } });
    expect(retried.result).toMatchObject({ isError: true });
    expect(reported).toHaveLength(2);
    for (const text of reported) expect(text).toContain(`the model cannot be asked: `);
    expect(reported[0]).toContain(problem);
  });

  const form = (field: object, more: object = {}) => ({ type: 'object', properties: { a: field }, ...more });
  const wrong = (keyword: string, expected: string) =>
    `field "a" of a question has the ${keyword}, which must be ${expected}`;
  const NAMES = 'the required fields of a question must be a list of names of its fields';
  it.each<[string, object, string]>([
    [
      'a minLength that is no whole number',
      form({ type: 'string', minLength: 1.5 }),
      wrong('minLength 1.5', 'a whole number, 0 or more'),
    ],
    [
      'a negative maxItems',
      form({ type: 'array', items: { enum: ['a'] }, maxItems: -1 }),
      wrong('maxItems -1', 'a whole number, 0 or more'),
    ],
    ['a minimum that is a text', form({ type: 'number', minimum: 'x' }), wrong('minimum "x"', 'a number')],
    ['a title that is a number', form({ type: 'string', title: 5 }), wrong('title 5', 'a text')],
    [
      'a default of another type',
      form({ type: 'string', default: 5 }),
      'field "a" of a question has the default 5, which is not of its type "string"',
    ],
    [
      'a default that is no integer',
      form({ type: 'integer', default: 1.5 }),
      'field "a" of a question has the default 1.5, which is not of its type "integer"',
    ],
    [
      'a default of a choice that is no list',
      form({ type: 'array', items: { enum: ['a'] }, default: 'a' }),
      'field "a" of a question has the default "a", which is not of its type "array"',
    ],
    ['required fields that are numbers', form({ type: 'string' }, { required: [5] }), NAMES],
    ['required fields that it does not have', form({ type: 'string' }, { required: ['zzz'] }), NAMES],
    ['required fields that are a text', form({ type: 'string' }, { required: 'a' }), NAMES],
  ])('a form with %s', async (_, schema, problem) => {
    for (const ask of [
      (ctx: Context) => ctx.elicit('Name?', schema as never),
      (ctx: Context) =>
        ctx.ask({
          method: 'elicitation/create',
          params: { message: 'Name?', requestedSchema: schema as never },
        }),
    ]) {
      const { url, reported } = await asking(ask);
      const client = await LegacyClient.open(url, { capabilities: ALL });
      expect((await client.call('ask')).result).toMatchObject({ isError: true });
      expect(reported).toEqual([expect.stringContaining(problem)]);
    }
  });

  it('a page with an id that is a number', async () => {
    const url = 'https://bistro.example/pay';
    const { url: mcp, reported } = await asking(ctx =>
      ctx.elicitUrl('Pay', url, { elicitationId: 5 as never }),
    );
    const capabilities = { elicitation: { url: {} } };
    const client = await LegacyClient.open(mcp, { revision: '2025-11-25', capabilities });
    expect((await client.call('ask')).result).toMatchObject({ isError: true });
    expect(reported).toEqual(['the elicitationId of a page must be a text, not 5']);
  });

  it('a text that is a number', async () => {
    const { url, reported } = await asking(ctx => ctx.elicit(5 as never, z.object({ a: z.string() })));
    const client = await LegacyClient.open(url, { capabilities: ALL });
    expect((await client.call('ask')).result).toMatchObject({ isError: true });
    expect(reported).toEqual(['a question needs a text, not 5: ctx.elicit("How many guests?", schema)']);
  });
});

describe('the error about missing capabilities names', () => {
  // covers: 2026-07-28/basic/missing-capability-is-an-error
  it.each<[string, (ctx: Context) => unknown, object, object]>([
    [
      'those of all questions of one turn',
      ctx => Promise.all([ctx.roots(), ctx.sample(SAMPLE)]),
      {},
      { roots: {}, sampling: {} },
    ],
    [
      'those of all questions asked by hand',
      () =>
        inputRequired({
          requests: {
            a: { method: 'roots/list' },
            b: { method: 'sampling/createMessage', params: SAMPLE },
          },
        }),
      {},
      { roots: {}, sampling: {} },
    ],
    [
      'all that one question needs',
      ctx =>
        ctx.sample({
          ...SAMPLE,
          tools: [{ name: 'x', inputSchema: { type: 'object' } }],
          includeContext: 'thisServer',
        }),
      {},
      { sampling: { tools: {}, context: {} } },
    ],
    [
      'only those that the client did not declare',
      ctx =>
        ctx.sample({
          ...SAMPLE,
          tools: [{ name: 'x', inputSchema: { type: 'object' } }],
          includeContext: 'thisServer',
        }),
      { sampling: { tools: {} } },
      { sampling: { context: {} } },
    ],
    [
      'only the last one if the handler did without the first',
      async ctx => {
        await ctx.roots().catch(() => undefined);
        return ctx.sample(SAMPLE);
      },
      {},
      { sampling: {} },
    ],
  ])('%s', async (_, ask, declared, requiredCapabilities) => {
    const { url } = await asking(ask);
    const answer = await new ModernClient(url).call('ask', {}, { meta: { [CAPABILITIES]: declared } });
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
    expect((answer.error as any).data).toEqual({ requiredCapabilities });
  });
});
