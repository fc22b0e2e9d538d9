import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { listen } from '../../src/node/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { type Context, Server } from '../../src/server/index.js';

// These tests fail in the compiler: `npm run typecheck`. Nothing in them runs; see test/server/mistakes.test.ts.

const INFO = { name: 'bistro', version: '1.0.0' };
const handler = () => 'hello';

describe('the compiler refuses', () => {
  it('what cannot be registered', () => {
    const wrong = (server: Server) => [
      // @ts-expect-error: a server has a version
      new Server({ name: 'bistro' }),
      // @ts-expect-error: there is no such option
      new Server(INFO, { instruction: 'Reserve first.' }),
      // @ts-expect-error: options of a server come second
      new Server({ ...INFO, pageSize: 5 } satisfies ConstructorParameters<typeof Server>[0]),
      // @ts-expect-error: there is no such option
      server.tool('greet', { descripton: 'Greets' }, handler),
      // @ts-expect-error: it is called input
      server.tool('greet', { inputSchema: z.object({}) }, handler),
      // @ts-expect-error: the handler is missing
      server.tool('greet', {}),
      // @ts-expect-error: options come before the handler
      server.tool('greet', handler),
      // @ts-expect-error: scopes are a list
      server.tool('greet', { scopes: 'greet' }, handler),
      // @ts-expect-error: there is no such option
      server.resource('menu://today', { cache: { ttlMs: 1, cacheScope: 'public' } }, handler),
      // @ts-expect-error: there is no such option
      server.prompt('advise', { arguments: {} }, handler),
      // @ts-expect-error: arguments of prompts are strings
      server.prompt('advise', { input: z.object({ guests: z.number() }) }, handler),
      // @ts-expect-error: arguments of prompts are strings
      server.prompt('advise', { input: { type: 'object', properties: { n: { type: 'integer' } } } }, handler),
      // @ts-expect-error: the handler is missing
      server.method('acme/search'),
    ];
    expect(wrong).toBeTypeOf('function');
  });

  it('doors that do not exist', () => {
    const wrong = (server: Server) => [
      // @ts-expect-error: the server is missing
      listen({ port: 3000 }),
      // @ts-expect-error: there is no such option
      listen(server, { prot: 3000 }),
      // @ts-expect-error: a port is a number
      listen(server, { port: '3000' }),
      // @ts-expect-error: keys are a list
      fetchHandler(server, { keys: 'secret' }),
      // @ts-expect-error: it is what protect() returns
      fetchHandler(server, { auth: { issuer: 'https://login.example' } }),
    ];
    expect(wrong).toBeTypeOf('function');
  });
});

describe('the result of a step', () => {
  interface Hold {
    id: string;
    at?: number | undefined;
    guests: readonly { name: string | null }[];
    inside: Hold | undefined;
  }

  it('is what JSON carries, and keeps its type', () => {
    const right = async (ctx: Context, hold: Hold, something: unknown) => {
      expectTypeOf(await ctx.step('a', () => hold)).toEqualTypeOf<Hold>();
      expectTypeOf(await ctx.step('a', async () => hold)).toEqualTypeOf<Hold>();
      expectTypeOf(await ctx.step('a', () => 'text')).toEqualTypeOf<string>();
      expectTypeOf(await ctx.step('a', async () => ({ id: 1, list: [true] }))).toEqualTypeOf<{
        id: number;
        list: boolean[];
      }>();
      expectTypeOf(await ctx.step('a', () => {})).toEqualTypeOf<void>();
      expectTypeOf(await ctx.step('a', () => null)).toEqualTypeOf<null>();
      expectTypeOf(await ctx.step('a', () => something)).toEqualTypeOf<unknown>();
    };
    expect(right).toBeTypeOf('function');
  });

  it('is nothing that JSON changes or drops', () => {
    const wrong = (ctx: Context) => [
      // @ts-expect-error: a Date becomes a text
      ctx.step('a', () => new Date()),
      // @ts-expect-error: a Date becomes a text
      ctx.step('a', async () => ({ at: new Date() })),
      // @ts-expect-error: a function is dropped
      ctx.step('a', () => () => 1),
      // @ts-expect-error: a Map becomes an empty object
      ctx.step('a', () => ({ list: [new Map()] })),
      // @ts-expect-error: a bigint cannot be written
      ctx.step('a', () => 5n),
    ];
    expect(wrong).toBeTypeOf('function');
  });
});

describe('the form of a question', () => {
  it('is flat', () => {
    const right = (ctx: Context) => [
      ctx.elicit('?', z.object({ a: z.string(), b: z.number().optional(), c: z.coerce.boolean() })),
      ctx.elicit('?', z.object({ room: z.enum(['in', 'out']), diets: z.array(z.enum(['vegan', 'halal'])) })),
      ctx.elicit('?', toStandardJsonSchema(v.object({ n: v.number() }))),
      ctx.elicit('?', type({ n: 'number' })),
      ctx.elicit('?', { type: 'object', properties: { n: { type: 'integer' } } }),
    ];
    expect(right).toBeTypeOf('function');
  });

  it('has no objects in it, whatever it is written in', () => {
    const wrong = (ctx: Context) => [
      // @ts-expect-error: forms are flat
      ctx.elicit('?', z.object({ party: z.object({ guests: z.number() }) })),
      // @ts-expect-error: forms are flat
      ctx.elicit('?', z.object({ guests: z.array(z.object({ name: z.string() })) })),
      // @ts-expect-error: forms are flat
      ctx.elicit('?', toStandardJsonSchema(v.object({ party: v.object({ guests: v.number() }) }))),
      // @ts-expect-error: forms are flat
      ctx.elicit('?', type({ party: { guests: 'number' } })),
      // @ts-expect-error: forms are flat
      ctx.elicit('?', { type: 'object', properties: { party: { type: 'object' } } }),
    ];
    expect(wrong).toBeTypeOf('function');
  });
});
