import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterAll, describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type CallToolResult,
  type ContentBlock,
  type Context,
  inputRequired,
  Server,
} from '../../src/server/index.js';

// Tools that are registered and never called still load the validator: the file must not end before it has come.
afterAll(() => import('../../src/server/schema/json-schema.js'));

// These tests fail in the compiler: `npm run typecheck`.

function createServer(): Server {
  return new Server({ name: 'bistro', version: '1.0.0' });
}

describe('the arguments of a tool', () => {
  type Party = { guests: number; names: string[]; room?: 'inside' | 'outside' | undefined };

  it('follow from a zod schema', () => {
    const input = z.object({
      guests: z.number().int(),
      names: z.array(z.string()),
      room: z.enum(['inside', 'outside']).optional(),
    });
    createServer().tool('reserve', { input }, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<Party>();
      expectTypeOf(args).not.toBeAny();
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      return 'done';
    });
  });

  it('are those after defaults and transformations', () => {
    const input = z.object({ n: z.string().transform(Number), d: z.number().default(1) });
    createServer().tool('convert', { input }, args => {
      expectTypeOf(args).toEqualTypeOf<{ n: number; d: number }>();
    });
  });

  it('follow from a valibot schema', () => {
    const input = toStandardJsonSchema(
      v.object({
        guests: v.pipe(v.number(), v.integer()),
        names: v.array(v.string()),
        room: v.optional(v.picklist(['inside', 'outside'])),
      }),
    );
    createServer().tool('reserve', { input }, args => {
      expectTypeOf(args).toEqualTypeOf<Party>();
      expectTypeOf(args).not.toBeAny();
    });
  });

  it('follow from an arktype schema', () => {
    const input = type({ guests: 'number.integer', names: 'string[]', 'room?': "'inside' | 'outside'" });
    createServer().tool('reserve', { input }, args => {
      expectTypeOf(args).toEqualTypeOf<{ guests: number; names: string[]; room?: 'inside' | 'outside' }>();
      expectTypeOf(args).not.toBeAny();
    });
  });

  it('follow from a JSON Schema written in place, without "as const"', () => {
    createServer().tool(
      'reserve',
      {
        input: {
          type: 'object',
          properties: {
            guests: { type: 'integer' },
            names: { type: 'array', items: { type: 'string' } },
            room: { enum: ['inside', 'outside'] },
            table: { type: ['string', 'null'] },
            seat: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
          },
          required: ['guests', 'names', 'seat'],
        },
      },
      args => {
        expectTypeOf(args).toEqualTypeOf<{
          guests: number;
          names: string[];
          seat: [string, number];
          room?: 'inside' | 'outside';
          table?: string | null;
        }>();
      },
    );
  });

  it('are unknown without a schema', () => {
    createServer().tool('bare', {}, args => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
    });
  });

  it('are typed the same when a tool is replaced', () => {
    const handle = createServer().tool('reserve', {}, () => 'old');
    handle.replace({ input: z.object({ n: z.number() }), output: z.object({ m: z.number() }) }, ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>();
      return { m: n };
    });
    // @ts-expect-error: m is missing
    handle.replace({ output: z.object({ m: z.number() }) }, () => ({}));
  });

  it('must be described by something that is a schema', () => {
    // @ts-expect-error: a string is no schema
    const register = () => createServer().tool('x', { input: 'string' }, () => 'x');
    expectTypeOf(register).toBeFunction();
  });
});

describe('what a tool without an output schema returns', () => {
  it('is text, blocks, or a result', () => {
    const server = createServer();
    server.tool('a', {}, () => 'text');
    server.tool('b', {}, async () => 'text');
    server.tool('c', {}, () => 5);
    server.tool('d', {}, () => {});
    server.tool('e', {}, async () => null);
    server.tool('f', {}, () => ({ type: 'image', data: '', mimeType: 'image/png' }));
    server.tool('g', {}, () => ['text', { type: 'audio', data: '', mimeType: 'audio/wav' }]);
    server.tool('h', {}, async () => ({ content: [{ type: 'text', text: 'x' }], structuredContent: [1] }));
    server.tool('i', {}, (_, ctx) => ctx.error('no'));
    server.tool('j', {}, () => inputRequired({ state: 's' }));
    server.tool('k', {}, ({ n }) => (n ? 'text' : ({ type: 'text', text: 'x' } satisfies ContentBlock)));
  });

  it('is not any object', () => {
    const server = createServer();
    // @ts-expect-error: structured data need an output schema
    server.tool('a', {}, () => ({ guests: 2 }));
    // @ts-expect-error: the mimeType is missing
    server.tool('b', {}, () => ({ type: 'image', data: '' }));
    // @ts-expect-error: there is no such block
    server.tool('c', {}, () => [{ type: 'video', data: '' }]);
  });
});

describe('what a tool with an output schema returns', () => {
  const output = z.object({ id: z.string(), guests: z.number().default(2) });

  it('is its output, as it is before defaults', () => {
    const server = createServer();
    server.tool('a', { output }, () => ({ id: 'a' }));
    server.tool('b', { output }, async () => ({ id: 'a', guests: 3 }));
    server.tool('c', { output: z.array(z.number()) }, () => [1, 2]);
    server.tool('d', { output: z.number() }, () => 1);
    server.tool('e', { output: type({ id: 'string' }) }, () => ({ id: 'a' }));
    server.tool('f', { output: toStandardJsonSchema(v.object({ id: v.string() })) }, () => ({ id: 'a' }));
    server.tool(
      'g',
      { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
      () => ({
        n: 1,
      }),
    );
  });

  it('may be a full result, a failure, or a question', () => {
    const server = createServer();
    server.tool('a', { output }, () => ({
      structuredContent: { id: 'a' },
      content: [{ type: 'text', text: 'a' }],
    }));
    server.tool('e', { input: output, output }, ({ id }, ctx) => {
      const text = ctx.supports('sampling') ? id : 'a';
      return { structuredContent: { id }, content: [{ type: 'text', text }] };
    });
    server.tool('b', { output }, (_, ctx) => ctx.error('no'));
    server.tool('c', { output }, () => inputRequired({ state: 's' }));
    server.tool('d', { output }, async (_, ctx) => (Math.random() > 2 ? ctx.error('no') : { id: 'a' }));
  });

  it('is checked by the compiler', () => {
    const server = createServer();
    // @ts-expect-error: id must be a string
    server.tool('a', { output }, () => ({ id: 5 }));
    // @ts-expect-error: id is missing
    server.tool('b', { output }, () => ({ guests: 5 }));
    // @ts-expect-error: text is not the output
    server.tool('c', { output }, () => 'text');
    // @ts-expect-error: nothing is not the output
    server.tool('d', { output }, () => {});
    // @ts-expect-error: the output must be a list of numbers
    server.tool('e', { output: z.array(z.number()) }, () => ['a']);
    const count = { type: 'object', properties: { n: { type: 'number' } } } as const;
    // @ts-expect-error: n must be a number
    server.tool('f', { output: count }, () => ({ n: 'a' }));
    // @ts-expect-error: the structured content must be the output, too
    server.tool('g', { output }, async () => ({ structuredContent: { id: 5 } }));
  });

  it('is not content alone, which would be refused at run time', () => {
    // @ts-expect-error: the structured content is missing
    createServer().tool('a', { output }, () => ({ content: [{ type: 'text', text: 'a' }] }));
  });

  it('has typed arguments beside it', () => {
    createServer().tool('a', { input: z.object({ id: z.string() }), output }, ({ id }) => {
      expectTypeOf(id).toEqualTypeOf<string>();
      return { id };
    });
  });
});

it('a failure is a result', () => {
  expectTypeOf<ReturnType<Context['error']>>().toExtend<CallToolResult>();
});
