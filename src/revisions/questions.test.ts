import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw } from '../../test/raw-client.js';
import type { JsonObject, JsonSchema } from '../base/json.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { CreateMessageParams } from '../protocol/input.js';
import { Server } from '../server/server.js';

const CAPABILITIES: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Yours', minLength: 1, maxLength: 9, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    guests: { type: 'integer', minimum: 1, maximum: 8, default: 2 },
    smoking: { type: 'boolean', default: false },
    room: { type: 'string', enum: ['a', 'b'], default: 'a' },
    dish: {
      type: 'string',
      default: 's',
      oneOf: [
        { const: 's', title: 'Soup' },
        { const: 'p', title: 'Pie' },
      ],
    },
  },
  required: ['guests'],
} as const satisfies JsonSchema;

const SAMPLE: CreateMessageParams = {
  maxTokens: 10,
  systemPrompt: 'Be brief',
  messages: [
    { role: 'user', content: { type: 'text', text: 'One' }, _meta: { 'com.example/a': 1 } },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Two' },
        { type: 'text', text: 'Three', _meta: { 'com.example/a': 1 } },
        { type: 'audio', data: btoa('data'), mimeType: 'audio/wav' },
      ],
    },
  ],
};

type Question = { method: string; params: JsonObject };

/** What a client of a revision is asked by a tool, and how the tool ends. */
async function ask(
  revision: string,
  question: (ctx: Parameters<Parameters<Server['tool']>[2]>[1]) => Promise<unknown>,
  capabilities = CAPABILITIES,
): Promise<{ asked: Question[]; result: JsonObject; error: unknown }> {
  const asked: Question[] = [];
  const answer = (method: string, reply: object) => (params: JsonObject) => {
    asked.push({ method, params });
    return reply;
  };
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('ask', {}, async (_, ctx) => {
    await question(ctx);
    return 'done';
  });
  const client = await connectRaw(server, {
    revision,
    capabilities,
    answers: {
      'elicitation/create': answer('elicitation/create', { action: 'decline' }),
      'sampling/createMessage': answer('sampling/createMessage', {
        role: 'assistant',
        content: { type: 'text', text: 'Yes' },
        model: 'm',
      }),
      'roots/list': answer('roots/list', { roots: [{ uri: 'file:///work' }] }),
    },
  });
  const outcome = await client.request('tools/call', { name: 'ask' }).then(
    result => ({ result, error: undefined }),
    error => ({ result: {}, error }),
  );
  return { asked, ...outcome };
}

describe('a form', () => {
  // covers: 2025-11-25/elicitation/form-has-a-schema, 2025-11-25/elicitation/request-has-mode-and-message
  it('goes out whole on 2025-11-25', async () => {
    const { asked } = await ask('2025-11-25', ctx => ctx.elicit('Who?', FORM));
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Who?', requestedSchema: FORM },
      },
    ]);
    expect(ElicitRequestSchema.safeParse(asked[0]).error).toBeUndefined();
  });

  it('goes out on 2025-06-18 without a mode and without what that revision does not know', async () => {
    const { asked } = await ask('2025-06-18', ctx => ctx.elicit('Who?', FORM));
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params: {
          message: 'Who?',
          requestedSchema: {
            type: 'object',
            properties: {
              name: { type: 'string', title: 'Name', description: 'Yours', minLength: 1, maxLength: 9 },
              mail: { type: 'string', format: 'email' },
              guests: { type: 'integer', minimum: 1, maximum: 8 },
              smoking: { type: 'boolean', default: false },
              room: { type: 'string', enum: ['a', 'b'] },
              dish: { type: 'string', enum: ['s', 'p'], enumNames: ['Soup', 'Pie'] },
            },
            required: ['guests'],
          },
        },
      },
    ]);
  });

  it('names each choice by its value on 2025-06-18 where it has no title', async () => {
    const dish = { type: 'string', oneOf: [{ const: 's', title: 'Soup' }, { const: 'p' }] };
    const { asked } = await ask('2025-06-18', ctx =>
      ctx.elicit('What?', { type: 'object', properties: { dish } }),
    );
    expect(asked[0]?.params.requestedSchema).toEqual({
      type: 'object',
      properties: { dish: { type: 'string', enum: ['s', 'p'], enumNames: ['Soup', 'p'] } },
    });
  });

  const several = z.object({ dishes: z.array(z.enum(['soup', 'pie'])) });

  it('may have a choice of several on 2025-11-25', async () => {
    const { asked } = await ask('2025-11-25', ctx => ctx.elicit('Which?', several));
    expect(asked[0]?.params.requestedSchema).toMatchObject({
      properties: { dishes: { type: 'array', items: { enum: ['soup', 'pie'] } } },
    });
    expect(ElicitRequestSchema.safeParse(asked[0]).error).toBeUndefined();
  });

  it('with a choice of several is refused on 2025-06-18, and nothing is asked', async () => {
    const { asked, result } = await ask('2025-06-18', ctx => ctx.elicit('Which?', several));
    expect(asked).toEqual([]);
    const text = 'a question with a multiple choice needs a client of revision 2025-11-25 or newer';
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text }] });
  });
});

describe('a page for the user', () => {
  // covers: 2025-11-25/elicitation/url-has-mode-message-url-and-id
  it('is opened on 2025-11-25 with an id', async () => {
    const { asked } = await ask('2025-11-25', ctx => ctx.elicitUrl('Sign in', 'https://example.com/a b'));
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          message: 'Sign in',
          url: 'https://example.com/a%20b',
          elicitationId: expect.stringMatching(/^[\da-f-]{36}$/),
        },
      },
    ]);
    expect(ElicitRequestSchema.safeParse(asked[0]).error).toBeUndefined();
  });

  it('has the id that the author chose', async () => {
    const { asked } = await ask('2025-11-25', ctx =>
      ctx.elicitUrl('Sign in', 'https://example.com/', { elicitationId: 'mine' }),
    );
    expect(asked[0]?.params.elicitationId).toBe('mine');
  });

  it('does not exist before, whatever the client declares', async () => {
    const { asked, result } = await ask('2025-06-18', ctx =>
      ctx.elicitUrl('Sign in', 'https://example.com/'),
    );
    expect(asked).toEqual([]);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('elicitation.url') }],
    });
  });
});

describe('a question to the model', () => {
  it('goes out as it is on 2025-11-25', async () => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const params = { ...SAMPLE, tools, toolChoice: { mode: 'auto' as const } };
    const { asked } = await ask('2025-11-25', ctx => ctx.sample(params));
    expect(asked).toEqual([{ method: 'sampling/createMessage', params }]);
    expect(CreateMessageRequestSchema.safeParse(asked[0]).error).toBeUndefined();
  });

  it('has one message per block before', async () => {
    const audio = { type: 'audio', data: btoa('data'), mimeType: 'audio/wav' };
    const two = { role: 'user', content: { type: 'text', text: 'Two' } };
    const { asked } = await ask('2025-06-18', ctx => ctx.sample(SAMPLE));
    expect(asked[0]?.params).toEqual({
      maxTokens: 10,
      systemPrompt: 'Be brief',
      messages: [
        { role: 'user', content: { type: 'text', text: 'One' } },
        two,
        { role: 'user', content: { type: 'text', text: 'Three', _meta: { 'com.example/a': 1 } } },
        { role: 'user', content: audio },
      ],
    });
  });

  it('has no metadata on blocks on 2025-03-26, and no sound on 2024-11-05', async () => {
    const three = { role: 'user', content: { type: 'text', text: 'Three' } };
    const streamable = await ask('2025-03-26', ctx => ctx.sample(SAMPLE));
    expect(streamable.asked[0]?.params.messages).toMatchObject([{}, {}, {}, { content: { type: 'audio' } }]);
    expect(streamable.asked[0]?.params.messages).toHaveProperty('2', three);

    const first = await ask('2024-11-05', ctx => ctx.sample(SAMPLE));
    const messages = first.asked[0]?.params.messages as unknown[];
    expect(messages[2]).toEqual(three);
    expect(messages[3]).toEqual({
      role: 'user',
      content: { type: 'text', text: expect.stringContaining('audio/wav') },
    });
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('cannot offer tools on %s', async revision => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const { asked, result } = await ask(revision, ctx => ctx.sample({ ...SAMPLE, tools }));
    expect(asked).toEqual([]);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('sampling.tools') }],
    });
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('cannot tell of tool use on %s', async revision => {
    const used = { type: 'tool_use' as const, id: '1', name: 't', input: {} };
    const seen = { type: 'tool_result' as const, toolUseId: '1', content: [] };
    const messages = [
      { role: 'assistant' as const, content: [used] },
      { role: 'user' as const, content: [seen] },
    ];
    const { asked, result } = await ask(revision, ctx => ctx.sample({ maxTokens: 1, messages }));
    expect(asked).toEqual([]);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('sampling.tools') }],
    });
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'may include context on %s, which has no capability for it',
    async revision => {
      const params: CreateMessageParams = { ...SAMPLE, includeContext: 'thisServer' };
      const { asked } = await ask(revision, ctx => ctx.sample(params), { sampling: {} });
      expect(asked[0]?.params.includeContext).toBe('thisServer');
    },
  );

  // covers: 2025-11-25/sampling/no-context-without-the-capability
  it('needs a capability to include context on 2025-11-25', async () => {
    const params: CreateMessageParams = { ...SAMPLE, includeContext: 'thisServer' };
    const { asked, result } = await ask('2025-11-25', ctx => ctx.sample(params), { sampling: {} });
    expect(asked).toEqual([]);
    expect(result.isError).toBe(true);
  });
});

it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('asks for roots on %s', async revision => {
  const { asked, result } = await ask(revision, async ctx => {
    expect(await ctx.roots()).toEqual([{ uri: 'file:///work' }]);
  });
  expect(asked).toEqual([{ method: 'roots/list', params: {} }]);
  expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
});

describe('a question on the newest revision', () => {
  const asked = async (question: Parameters<typeof ask>[1]) => {
    const { result } = await ask('2026-07-28', question);
    expect(result.resultType).toBe('input_required');
    return Object.values(result.inputRequests as Record<string, Question>);
  };

  // covers: 2026-07-28/elicitation/form-has-a-schema, 2026-07-28/elicitation/request-has-mode-and-message
  it('is a form with everything that forms have', async () => {
    const params = { mode: 'form', message: 'Who?', requestedSchema: FORM };
    expect(await asked(ctx => ctx.elicit('Who?', FORM))).toEqual([{ method: 'elicitation/create', params }]);
  });

  // covers: 2026-07-28/elicitation/url-has-mode-message-and-url
  it('is a page without an id, even if the author chose one', async () => {
    const params = { mode: 'url', message: 'Sign in', url: 'https://example.com/' };
    const pages = await asked(ctx => ctx.elicitUrl('Sign in', params.url, { elicitationId: 'mine' }));
    expect(pages).toEqual([{ method: 'elicitation/create', params }]);
  });

  it('is a question to the model as it is', async () => {
    expect(await asked(ctx => ctx.sample(SAMPLE))).toEqual([
      { method: 'sampling/createMessage', params: SAMPLE },
    ]);
  });

  it('is for the roots', async () => {
    expect(await asked(ctx => ctx.roots())).toEqual([{ method: 'roots/list', params: {} }]);
  });

  it('goes out together with others asked at the same time', async () => {
    const questions = await asked(ctx => Promise.all([ctx.roots(), ctx.sample(SAMPLE)]));
    expect(questions.map(({ method }) => method)).toEqual(['roots/list', 'sampling/createMessage']);
  });
});
