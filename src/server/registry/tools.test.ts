import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connectRaw } from '../../../test/raw-client.js';
import type { JsonObject } from '../../base/json.js';
import type { ContentBlock } from '../../protocol/content.js';
import { ERROR, McpError, ToolError } from '../../protocol/errors.js';
import type { ElicitResult } from '../../protocol/input.js';
import { inputRequired } from '../../protocol/input-required.js';
import type { Context } from '../context/context.js';
import { Server } from '../server.js';
import type { ServerOptions } from '../server-options.js';
import type { ToolHandler } from './tools.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const IMAGE: ContentBlock = { type: 'image', data: btoa('image'), mimeType: 'image/png' };

let reported: { error: unknown; where: string }[];
let options: ServerOptions;

beforeEach(() => {
  reported = [];
  options = { onError: (error, where) => reported.push({ error, where }) };
});

describe.each(REVISIONS)('a tool on %s', revision => {
  /** The result of a tool, without what the newest revision puts on every result. */
  async function run(register: (server: Server) => void, params: JsonObject = {}): Promise<JsonObject> {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
    register(server);
    const client = await connectRaw(server, { revision });
    const {
      resultType: _,
      _meta,
      ...result
    } = await client.request('tools/call', { name: 'tool', ...params });
    return result;
  }

  function returning(handler: ToolHandler<undefined, undefined>): Promise<JsonObject> {
    return run(server => server.tool('tool', {}, handler));
  }

  describe('without an output schema', () => {
    it.each([
      ['text', 'Soup', [{ type: 'text', text: 'Soup' }]],
      ['empty text', '', [{ type: 'text', text: '' }]],
      ['a number', 7, [{ type: 'text', text: '7' }]],
      ['a truth value', false, [{ type: 'text', text: 'false' }]],
      ['nothing', undefined, []],
      ['null', null, []],
      ['a block', IMAGE, [IMAGE]],
      ['a list of blocks and text', ['Soup', IMAGE], [{ type: 'text', text: 'Soup' }, IMAGE]],
      ['an empty list', [], []],
    ] as const)('may return %s', async (_, returned, content) => {
      expect(await returning(() => returned)).toEqual({ content });
      expect(await returning(async () => returned)).toEqual({ content });
    });

    it('may return a full result', async () => {
      const full = { content: [IMAGE], structuredContent: { n: 1 }, isError: false };
      expect(await returning(() => full)).toEqual(full);
    });

    it('may return anything that can be awaited, as query builders do', async () => {
      // biome-ignore lint/suspicious/noThenProperty: that is what this is about
      const thenable = { then: (resolve: (value: string) => void) => resolve('Soup') };
      const result = await returning(() => thenable as unknown as Promise<string>);
      expect(result).toEqual({ content: [{ type: 'text', text: 'Soup' }] });
    });

    it.each([
      ['an object that is no result', { guests: 2 }],
      ['a block without its data', { type: 'image' }],
      ['a block of an unknown type', { type: 'video', data: '' }],
      ['a list with something that is no block', ['Soup', { n: 1 }]],
      ['a function', () => 'Soup'],
    ])('fails if it returns %s, and the author is told what to return', async (_, returned) => {
      expect(await returning(() => returned as never)).toEqual({
        isError: true,
        content: [{ type: 'text', text: 'tool "tool" failed' }],
      });
      expect(reported).toMatchObject([
        {
          where: 'tool "tool"',
          error: { message: expect.stringContaining('return a string, a content block') },
        },
      ]);
    });
  });

  describe('with an output schema', () => {
    const output = z.object({ id: z.string(), guests: z.number().default(2) });

    // covers: 2026-07-28/tools/output-fits-its-schema, 2026-07-28/tools/structured-content-is-text-too
    it('returns its output as data and as text, with defaults filled in', async () => {
      const result = await run(server => server.tool('tool', { output }, () => ({ id: 'a' })));
      expect(result).toEqual({
        content: [{ type: 'text', text: '{"id":"a","guests":2}' }],
        structuredContent: { id: 'a', guests: 2 },
      });
    });

    it('may say in its own words what the data are', async () => {
      const structuredContent = { id: 'a', guests: 3 };
      const content: ContentBlock[] = [{ type: 'text', text: 'Table a for three' }];
      const result = await run(server =>
        server.tool('tool', { output }, () => ({ structuredContent, content })),
      );
      expect(result).toEqual({ content, structuredContent });
    });

    it('may fail without data', async () => {
      const result = await run(server =>
        server.tool('tool', { output }, (_, ctx) => ctx.error('No table is free.')),
      );
      expect(result).toEqual({ content: [{ type: 'text', text: 'No table is free.' }], isError: true });
    });

    it('may fail with data', async () => {
      const result = await run(server =>
        server.tool('tool', { output }, () => ({ structuredContent: { id: 'a', guests: 1 }, isError: true })),
      );
      expect(result).toMatchObject({ structuredContent: { id: 'a', guests: 1 }, isError: true });
    });

    // covers: 2026-07-28/tools/output-fits-its-schema
    it('fails if its output does not fit, and the author is told why', async () => {
      const result = await run(server => server.tool('tool', { output }, () => ({ id: 5 }) as never));
      expect(result).toEqual({ isError: true, content: [{ type: 'text', text: 'tool "tool" failed' }] });
      expect(reported).toMatchObject([
        {
          error: {
            message: expect.stringMatching(
              /^tool "tool" returned a value that its output schema refuses: id: /,
            ),
          },
        },
      ]);
    });

    it('may have an output that says of itself that it is an error', async () => {
      const report = z.object({ isError: z.boolean(), line: z.number() });
      const result = await run(server =>
        server.tool('tool', { output: report }, () => ({ isError: true, line: 1 })),
      );
      expect(result).toEqual({
        content: [{ type: 'text', text: '{"isError":true,"line":1}' }],
        structuredContent: { isError: true, line: 1 },
      });
    });

    it('fails if it returns nothing, even if its schema would allow that', async () => {
      const nothing = z.string().optional();
      const result = await run(server => server.tool('tool', { output: nothing }, () => undefined));
      expect(result).toMatchObject({ isError: true });
      expect(reported).toMatchObject([{ error: { message: expect.stringContaining('returned nothing') } }]);
    });

    it('checks an output given as JSON Schema', async () => {
      const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
      expect(await run(server => server.tool('tool', { output: schema }, () => ({ n: 1 })))).toMatchObject({
        structuredContent: { n: 1 },
      });
      expect(await run(server => server.tool('tool', { output: schema }, () => ({ n: 1.5 })))).toMatchObject({
        isError: true,
      });
    });
  });

  describe('that fails', () => {
    // covers: 2026-07-28/schema/tool-errors-are-results
    it('tells the model with ctx.error', async () => {
      expect(await returning((_, ctx) => ctx.error('No table is free.'))).toEqual({
        content: [{ type: 'text', text: 'No table is free.' }],
        isError: true,
      });
      expect(reported).toEqual([]);
    });

    it.each([
      [
        'at once',
        () => {
          throw new ToolError('No table is free.');
        },
      ],
      [
        'later',
        async () => {
          throw new ToolError('No table is free.');
        },
      ],
    ] as const)('tells the model what a ToolError thrown %s says', async (_, handler) => {
      expect(await returning(handler)).toEqual({
        content: [{ type: 'text', text: 'No table is free.' }],
        isError: true,
      });
      expect(reported).toEqual([]);
    });

    // covers: 2026-07-28/tools/outputs-are-sanitized
    it.each([
      [
        'at once',
        () => {
          throw new Error('the password is 1234');
        },
      ],
      [
        'later',
        async () => {
          throw new Error('the password is 1234');
        },
      ],
      [
        'as text',
        () => {
          throw 'the password is 1234';
        },
      ],
    ] as const)(
      'keeps the text of any other error thrown %s to itself, and reports it',
      async (_, handler) => {
        expect(await returning(handler)).toEqual({
          content: [{ type: 'text', text: 'tool "tool" failed' }],
          isError: true,
        });
        expect(reported).toHaveLength(1);
        expect(reported[0]?.where).toBe('tool "tool"');
      },
    );

    it('tells what went wrong if the server was told to expose errors', async () => {
      options = { ...options, exposeErrors: true };
      const result = await returning(() => {
        throw new Error('disk full');
      });
      expect(result).toEqual({ content: [{ type: 'text', text: 'disk full' }], isError: true });
    });

    it('passes on an McpError as it is', async () => {
      const refusal = returning(() => {
        throw new McpError(1234, 'not for you', { why: 'x' });
      });
      await expect(refusal).rejects.toMatchObject({ code: 1234, message: 'not for you', data: { why: 'x' } });
      expect(reported).toEqual([]);
    });
  });

  describe('with an input schema', () => {
    const input = z.object({
      guests: z.coerce.number().int().min(1).default(2),
      name: z.string().optional(),
    });

    it('gets its arguments checked, converted and filled in', async () => {
      const result = await run(server => server.tool('tool', { input }, args => JSON.stringify(args)), {
        arguments: { guests: '3', other: 1 },
      });
      expect(result.content).toEqual([{ type: 'text', text: '{"guests":3}' }]);
    });

    it('may be called without any arguments', async () => {
      const result = await run(server => server.tool('tool', { input }, ({ guests }) => guests));
      expect(result.content).toEqual([{ type: 'text', text: '2' }]);
    });

    // covers: 2026-07-28/tools/inputs-are-validated
    it('is not run with arguments that do not fit, and the caller can read why', async () => {
      const handler = vi.fn(() => 'never');
      const strict = z.object({ a: z.number(), b: z.number(), c: z.number(), d: z.number(), e: z.number() });
      const result = await run(server => server.tool('tool', { input: strict }, handler), {
        arguments: { a: 'x' },
      });
      expect(handler).not.toHaveBeenCalled();
      expect(result.isError).toBe(true);
      const text = (result.content as { text: string }[])[0]?.text as string;
      expect(text).toMatch(/^invalid arguments for tool "tool": a: .*; b: .*; c: .*; and 2 more$/);
    });

    it('waits for a check that takes its time', async () => {
      const slow = z.object({ n: z.number() }).refine(async ({ n }) => {
        await new Promise(resolve => setTimeout(resolve, 1));
        return n > 0;
      }, 'n must be positive');
      const register = (server: Server) => server.tool('tool', { input: slow }, ({ n }) => n);
      expect(await run(register, { arguments: { n: 1 } })).toEqual({
        content: [{ type: 'text', text: '1' }],
      });
      expect(await run(register, { arguments: { n: 0 } })).toMatchObject({ isError: true });
    });
  });
});

describe('a listed tool', () => {
  async function list(register: (server: Server) => void): Promise<JsonObject> {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    register(server);
    const { tools } = await (await connectRaw(server)).request('tools/list');
    return (tools as JsonObject[])[0] as JsonObject;
  }

  // covers: 2025-11-25/tools/input-schema-is-an-object, 2026-07-28/tools/input-schema-is-an-object
  it('takes no arguments if it has no input schema, and says so with `properties`, which OpenAI needs', async () => {
    expect(await list(server => server.tool('tool', {}, () => ''))).toEqual({
      name: 'tool',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    });
  });

  it('has an object schema even if its own does not say so', async () => {
    const input = {
      anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }],
    };
    const { inputSchema } = await list(server => server.tool('tool', { input }, () => ''));
    expect(inputSchema).toEqual({ type: 'object', ...input });
  });

  // covers: 2025-11-25/basic/schemas-use-2020-12, 2026-07-28/basic/schemas-use-2020-12
  it('does not name the dialect that is the default', async () => {
    const { inputSchema } = await list(server => server.tool('tool', { input: z.object({}) }, () => ''));
    expect(inputSchema).not.toHaveProperty('$schema');
  });

  // covers: 2026-07-28/streamable-http/header-name-is-a-token
  it('cannot mirror an argument into a header that does not work', () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const input = {
      type: 'object',
      properties: { a: { type: 'string', 'x-mcp-header': 'not a token' } },
    } as const;
    expect(() => server.tool('tool', { input }, () => '')).toThrow('the input of tool "tool"');
  });
});

describe('a handler that asks for input by hand', () => {
  const question = {
    method: 'elicitation/create' as const,
    params: {
      message: 'Name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  };
  const accepted = { action: 'accept', content: { name: 'Ada' } };
  const CASES = [
    ['tools/call', { name: 'tool' }, { content: [{ text: 'Ada step 1' }] }],
    ['prompts/get', { name: 'prompt' }, { messages: [{ content: { text: 'Ada step 1' } }] }],
    ['resources/read', { uri: 'menu://today' }, { contents: [{ text: 'Ada step 1' }] }],
  ] as const;

  function createServer(): Server {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
    const ask = (ctx: Context) => {
      const answer = ctx.inputResponses?.get('name') as ElicitResult | undefined;
      if (!answer) return inputRequired({ requests: { name: question }, state: 'step 1' });
      return `${answer.content?.name} ${ctx.requestState}`;
    };
    server.tool('tool', {}, (_, ctx) => ask(ctx));
    server.prompt('prompt', {}, (_, ctx) => ask(ctx));
    server.resource('menu://today', {}, (_, ctx) => ask(ctx));
    return server;
  }

  it.each(CASES)('of %s gets the answer and its state in the next round', async (method, params, result) => {
    const client = await connectRaw(createServer(), { capabilities: { elicitation: {} } });
    const asked = await client.request(method, params);
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { name: question } });
    expect(asked.requestState).not.toContain('step 1');
    const { requestState } = asked;
    const done = await client.request(method, {
      ...params,
      inputResponses: { name: accepted },
      requestState,
    });
    expect(done).toMatchObject({ resultType: 'complete', ...result });
  });

  it.each(CASES)('of %s is asked directly where there are no rounds', async (method, params, result) => {
    const client = await connectRaw(createServer(), {
      revision: '2025-11-25',
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => accepted },
    });
    expect(await client.request(method, params)).toMatchObject(result);
  });

  it.each(CASES)('of %s never asks what the client did not declare to answer', async (method, params) => {
    const client = await connectRaw(createServer(), { capabilities: { elicitation: { url: {} } } });
    await expect(client.request(method, params)).rejects.toMatchObject({
      code: ERROR.missingCapability,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });

  // covers: 2026-07-28/caching/hints-on-complete-results
  it('never attaches a cache hint to a question', async () => {
    const client = await connectRaw(createServer(), { capabilities: { elicitation: {} } });
    const asked = await client.request('resources/read', { uri: 'menu://today' });
    expect(asked.resultType).toBe('input_required');
    expect(asked).not.toHaveProperty('ttlMs');
    expect(asked).not.toHaveProperty('cacheScope');
  });

  // covers: 2026-07-28/mrtr/malformed-responses-are-errors, 2026-07-28/mrtr/responses-are-validated
  it.each(CASES)('of %s is not run with answers that are malformed', async (method, params) => {
    const client = await connectRaw(createServer(), { capabilities: { elicitation: {} } });
    for (const wrong of [{ inputResponses: [] }, { inputResponses: { name: 'Ada' } }, { requestState: 5 }]) {
      await expect(client.request(method, { ...params, ...wrong })).rejects.toMatchObject({
        code: ERROR.invalidParams,
      });
    }
  });
});

describe('an error that nobody takes', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is written to standard error with the name of the server and the place', async () => {
    const write = vi.spyOn(console, 'error').mockImplementation(() => {});
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const thrown = new Error('disk full');
    server.tool('tool', {}, () => {
      throw thrown;
    });
    await (await connectRaw(server)).request('tools/call', { name: 'tool' });
    expect(write).toHaveBeenCalledExactlyOnceWith('[bistro] tool "tool":', thrown);
  });
});

it('a tool that was refused for one schema has the mistakes of the other reported, and nothing breaks', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
  const input = { type: 'object', properties: { day: { type: 'string', pattern: '(' } } } as const;
  expect(() => server.tool('tool', { input, output: 7 as never }, () => '')).toThrow(
    'the output of tool "tool"',
  );
  await vi.waitFor(() => expect(reported).toHaveLength(1), { timeout: 120_000 });
  expect(reported[0]?.where).toBe('the input of tool "tool"');
});
