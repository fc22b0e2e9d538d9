import { describe, expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { REVISIONS } from '../../src/revisions/index.js';
import {
  type Context,
  type InputRequest,
  inputRequired,
  Server,
  type ToolReturn,
  UsageError,
} from '../../src/server/index.js';

const ANSWERS = {
  onElicit: () => ({ action: 'accept' as const, content: { guests: 2 } }),
  onSample: () => ({
    role: 'assistant' as const,
    model: 'm',
    content: { type: 'text' as const, text: 'soup' },
  }),
  roots: [{ uri: 'file:///work' }],
};

const FORM: InputRequest = {
  method: 'elicitation/create',
  params: {
    message: 'How many guests?',
    requestedSchema: { type: 'object', properties: { guests: { type: 'integer' } } },
  },
};
const SAMPLE: InputRequest = {
  method: 'sampling/createMessage',
  params: { maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'What is good?' } }] },
};

/** What a tool returns that does this, to a client that answers. */
async function call(
  revision: string,
  tool: (ctx: Context) => ToolReturn<undefined> | Promise<ToolReturn<undefined>>,
  options: Partial<typeof ANSWERS> = ANSWERS,
) {
  const reported: unknown[] = [];
  const server = new Server(
    { name: 'bistro', version: '1.0.0' },
    { exposeErrors: true, onError: error => reported.push(error) },
  );
  server.tool('ask', {}, (_, ctx) => tool(ctx));
  const client = await connect(server, { ...options, revision });
  const result = await client.callTool('ask').catch((error: unknown) => ({ error }));
  await client.close();
  return { result, reported };
}

const json = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

describe.each(REVISIONS.map(({ name }) => name))('ctx on %s', revision => {
  const hasForms = revision >= '2025-06-18';

  it('asks any question as it is', async () => {
    const { result } = await call(revision, async ctx => {
      const sampled = await ctx.ask(SAMPLE);
      const { roots } = await ctx.ask({ method: 'roots/list' });
      const form = hasForms ? await ctx.ask(FORM) : undefined;
      return JSON.stringify([sampled, roots, form]);
    });
    const form = hasForms ? ANSWERS.onElicit() : null;
    expect(result).toMatchObject(json([ANSWERS.onSample(), ANSWERS.roots, form]));
  });

  it('never asks what is malformed, or what the client cannot answer', async () => {
    const wrong = await call(revision, async ctx =>
      JSON.stringify(await ctx.ask({ method: 'roots/delete' } as never)),
    );
    expect(wrong.reported).toEqual([
      new UsageError(
        'the question is malformed: its method must be elicitation/create, sampling/createMessage or roots/list, ' +
          'not "roots/delete"',
      ),
    ]);
    const { result } = await call(
      revision,
      async ctx => JSON.stringify(await ctx.ask({ method: 'roots/list' })),
      {},
    );
    const problem =
      'the list of roots needs the client capability "roots", which this client did not declare';
    expect(JSON.stringify(result, (_, value) => value?.message ?? value)).toContain(JSON.stringify(problem));
  });

  it('gives typed answers to all that was asked by hand', async () => {
    const { result } = await call(revision, async ctx => {
      const sampled = await ctx.answerTo('dish', 'sampling/createMessage');
      const folders = await ctx.answerTo('folders', 'roots/list');
      if (!sampled || !folders) {
        return inputRequired({ requests: { dish: SAMPLE, folders: { method: 'roots/list' } } });
      }
      return JSON.stringify([sampled.model, folders.roots]);
    });
    expect(result).toMatchObject(json(['m', ANSWERS.roots]));
  });

  it('says whether the request stands alone', async () => {
    const { result } = await call(revision, ctx => [
      String(ctx.isStateless),
      String(ctx.session === undefined),
    ]);
    const isStateless = String(revision === '2026-07-28');
    expect(result).toMatchObject({ content: [{ text: isStateless }, { text: isStateless }] });
  });
});
