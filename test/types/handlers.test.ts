import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Answer,
  type Context,
  type CreateMessageResult,
  type InputResponse,
  type LogLevel,
  type MiddlewareCall,
  type ResourceContext,
  type Root,
  Server,
  UsageError,
} from '../../src/server/index.js';

// Tools that are registered and never called still load the validator: the file must not end before it has come.
afterAll(() => import('../../src/server/schema/json-schema.js'));

// These tests fail in the compiler: `npm run typecheck`.

const server = new Server({ name: 'bistro', version: '1.0.0' });

describe('a resource', () => {
  it('gets the variables of its template', () => {
    server.resource('menu://{day}/{+path}', {}, (variables, ctx) => {
      expectTypeOf(variables).toEqualTypeOf<{ day: string; path: string }>();
      expectTypeOf(ctx).toEqualTypeOf<ResourceContext>();
      expectTypeOf(ctx.uri).toEqualTypeOf<string>();
      return 'Soup';
    });
    server.resource('search://{index}{?q,page}{&tags*}', {}, variables => {
      expectTypeOf(variables).toEqualTypeOf<{ index: string; q?: string; page?: string; tags?: string[] }>();
      return 'Soup';
    });
    server.resource('list://{items*}/{short:3}', {}, variables => {
      expectTypeOf(variables).toEqualTypeOf<{ items: string[]; short: string }>();
      return 'Soup';
    });
  });

  it('without a template gets none', () => {
    server.resource('menu://today', {}, variables => {
      expectTypeOf<keyof typeof variables>().toBeNever();
      return 'Soup';
    });
  });

  it('whose URI is not known to the compiler gets any strings', () => {
    const uri: string = 'menu://{day}/x';
    server.resource(uri, {}, variables => {
      expectTypeOf(variables).toEqualTypeOf<Record<string, string | string[]>>();
      return 'Soup';
    });
  });

  it('completes only variables that it has', () => {
    server.resource('a://{day}', { complete: { day: value => [value] } }, () => '');
    // @ts-expect-error: there is no such variable
    expect(() => server.resource('b://{day}', { complete: { month: () => [] } }, () => '')).toThrow(
      UsageError,
    );
  });

  it('returns text, bytes or contents', () => {
    server.resource('c://1', {}, () => new Uint8Array());
    server.resource('c://2', {}, async () => ({ text: 'x', mimeType: 'text/html' }));
    server.resource('c://3', {}, () => [{ blob: new Uint8Array() }, { text: 'x' }]);
    server.resource('c://4', {}, () => ({
      contents: [{ text: 'x' }],
      cache: { ttlMs: 1, cacheScope: 'public' },
    }));
    // @ts-expect-error: a number is no content
    server.resource('c://5', {}, () => 5);
    // @ts-expect-error: neither text nor blob
    server.resource('c://6', {}, () => ({ mimeType: 'text/html' }));
  });
});

describe('a prompt', () => {
  it('gets typed arguments', () => {
    server.prompt('zod', { input: z.object({ dish: z.string(), n: z.coerce.number().optional() }) }, args => {
      expectTypeOf(args).toEqualTypeOf<{ dish: string; n?: number | undefined }>();
      return 'Soup';
    });
    server.prompt('valibot', { input: toStandardJsonSchema(v.object({ dish: v.string() })) }, args => {
      expectTypeOf(args).toEqualTypeOf<{ dish: string }>();
      return 'Soup';
    });
    server.prompt('arktype', { input: type({ dish: 'string' }) }, args => {
      expectTypeOf(args).toEqualTypeOf<{ dish: string }>();
      return 'Soup';
    });
    server.prompt('json', { input: { type: 'object', properties: { dish: { type: 'string' } } } }, args => {
      expectTypeOf(args).toEqualTypeOf<{ dish?: string }>();
      return 'Soup';
    });
    server.prompt('none', {}, args => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return 'Soup';
    });
  });

  it('completes only arguments that it has', () => {
    const input = z.object({ dish: z.string() });
    server.prompt('completes', { input, complete: { dish: value => [value] } }, () => '');
    // @ts-expect-error: there is no such argument
    expect(() => server.prompt('mistaken', { input, complete: { drink: () => [] } }, () => '')).toThrow(
      UsageError,
    );
  });

  it('returns text, blocks or messages', () => {
    server.prompt('a', {}, () => ({ role: 'assistant', content: { type: 'text', text: 'x' } }));
    server.prompt('b', {}, async () => ['x', { type: 'image', data: '', mimeType: 'image/png' }]);
    server.prompt('full', {}, () => ({
      description: 'x',
      messages: [
        'x',
        { type: 'image', data: '', mimeType: 'image/png' },
        { role: 'assistant', content: { type: 'text', text: 'x' } },
      ],
    }));
    server.prompt('c', {}, () => ({ messages: [], description: 'x' }));
    // @ts-expect-error: there is no such role
    server.prompt('d', {}, () => ({ role: 'system', content: { type: 'text', text: 'x' } }));
    // @ts-expect-error: a number is no prompt
    server.prompt('e', {}, () => 5);
  });
});

describe('the context', () => {
  it('types the answer to a question by its schema', () => {
    async function ask(ctx: Context) {
      const zod = await ctx.elicit(
        '?',
        z.object({ guests: z.number(), room: z.enum(['in', 'out']).optional() }),
      );
      expectTypeOf(zod).toEqualTypeOf<Answer<{ guests: number; room?: 'in' | 'out' | undefined }>>();
      if (zod.action === 'accept') expectTypeOf(zod.content.guests).toEqualTypeOf<number>();
      // @ts-expect-error: only an accepted answer has content
      zod.content;

      const valibot = await ctx.elicit('?', toStandardJsonSchema(v.object({ n: v.number() })));
      expectTypeOf(valibot).toEqualTypeOf<Answer<{ n: number }>>();
      const ark = await ctx.elicit('?', type({ n: 'number' }));
      expectTypeOf(ark).toEqualTypeOf<Answer<{ n: number }>>();
      const json = await ctx.elicit('?', {
        type: 'object',
        properties: { n: { type: 'integer' }, dish: { type: 'string', enum: ['soup', 'pie'] } },
        required: ['n'],
      });
      expectTypeOf(json).toEqualTypeOf<Answer<{ n: number; dish?: 'soup' | 'pie' }>>();
    }
    expectTypeOf(ask).not.toBeAny();
  });

  it('types everything else, and nothing is any', () => {
    expectTypeOf<Awaited<ReturnType<Context['sample']>>>().toEqualTypeOf<CreateMessageResult>();
    expectTypeOf<Awaited<ReturnType<Context['roots']>>>().toEqualTypeOf<Root[]>();
    expectTypeOf<Context['inputResponses']>().toEqualTypeOf<ReadonlyMap<string, InputResponse> | undefined>();
    expectTypeOf<Context['requestState']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<keyof Context['log']>().toEqualTypeOf<LogLevel>();
    expectTypeOf<Context['meta'][string]>().toBeUnknown();
    expectTypeOf<NonNullable<Context['session']>['values']>().toEqualTypeOf<Map<string, unknown>>();
    type Leaks = { [K in keyof Context]: 0 extends 1 & Context[K] ? K : never }[keyof Context];
    expectTypeOf<Leaks>().toBeNever();
    type CallLeaks = {
      [K in keyof MiddlewareCall]-?: 0 extends 1 & MiddlewareCall[K] ? K : never;
    }[keyof MiddlewareCall];
    expectTypeOf<CallLeaks>().toBeNever();
  });

  it('asks only for capabilities that exist', () => {
    function check(ctx: Context) {
      ctx.supports('elicitation.url');
      ctx.supports('extensions.com.example/x');
      // @ts-expect-error: there is no such capability
      ctx.supports('elicitation.voice');
    }
    expectTypeOf(check).toBeFunction();
  });
});
