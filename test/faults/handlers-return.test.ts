import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ToolError } from '../../src/server/index.js';
import { bothEras, expectFine } from './both-eras.js';
import { refusingProxy, SECRET } from './hostile-values.js';
import { answerOf, textOf } from './messages.js';
import { exchange } from './raw-http.js';
import { serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

function cyclicResult(): object {
  const result: { content: unknown[]; self?: unknown } = { content: [] };
  result.self = result;
  return result;
}

/** What no type checker would let through, but JavaScript does. */
const NONSENSE = new Map<string, unknown>([
  ['a function', () => 'text'],
  ['a class', class {}],
  ['a symbol', Symbol('x')],
  ['a BigInt', 10n],
  ['a date', new Date(0)],
  ['a map', new Map([['content', []]])],
  ['a regular expression', /x/],
  ['a plain object', { a: 1 }],
  ['a block of an unknown type', { type: 'hologram', text: 'x' }],
  ['a block without its text', { type: 'text' }],
  ['a list of nonsense', [{ type: 'text', text: 'fine' }, () => {}]],
  ['a proxy that refuses everything', refusingProxy()],
  ['something that turns into nothing', { toJSON: () => undefined }],
]);

const UNWRITABLE = new Map<string, unknown>([
  ['a cyclic result', cyclicResult()],
  ['a BigInt inside', { content: [], _meta: { n: 10n } }],
  [
    'a getter that throws',
    {
      content: [],
      get extra() {
        throw new Error(SECRET);
      },
    },
  ],
  ['a result that turns into nothing', { content: [], toJSON: () => undefined }],
  ['a result that turns into a text', { content: [], toJSON: () => 'text' }],
  ['a result that turns into a list', { content: [], toJSON: () => [1] }],
  [
    'a result that refuses to be written',
    {
      content: [],
      toJSON: () => {
        throw new Error(SECRET);
      },
    },
  ],
]);

describe('a handler that returns', () => {
  test.for([...NONSENSE.keys()])('%s fails, and the author is told', async name => {
    const value = NONSENSE.get(name);
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('nonsense', {}, () => value as string);
      server.tool('later', {}, async () => value as string);
      server.prompt('nonsense', {}, () => value as string);
      server.resource('a://nonsense', {}, () => value as string);
    });
    for (const name of ['nonsense', 'later']) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({ id: 1, result: { isError: true } });
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    for (const request of await bothEras(port, 'prompts/get', { name: 'nonsense' })) {
      expect(answerOf(await exchange(port, request))).toMatchObject({ id: 1, error: { code: -32603 } });
      expect(errors.splice(0)).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'resources/read', { uri: 'a://nonsense' })) {
      const answer = answerOf(await exchange(port, request));
      // To a resource, anything with a text is contents.
      if (name !== 'a block of an unknown type')
        expect(answer).toMatchObject({ id: 1, error: { code: -32603 } });
    }
    await expectFine(port);
  });

  test.for([...UNWRITABLE.keys()])('%s fails, and the author is told', async name => {
    const value = UNWRITABLE.get(name);
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('nonsense', {}, () => value as string);
      server.method('acme/nonsense', () => value as object);
    });
    for (const [method, params] of [
      ['tools/call', { name: 'nonsense' }],
      ['acme/nonsense', {}],
    ] as const) {
      for (const request of await bothEras(port, method, params)) {
        const response = await exchange(port, request);
        const answer = answerOf(response);
        expect(answer.id).toBe(1);
        expect(answer.result?.isError === true || answer.error?.code === -32603).toBe(true);
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    await expectFine(port);
  });

  test.for<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['a number', 7],
    ['a list', [1]],
    ['a function', () => {}],
    ['a date', new Date(0)],
    ['a symbol', Symbol('x')],
  ])('%s from a method of its own fails, and the author is told', async ([, value]) => {
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.method('acme/nonsense', () => value as object);
      server.method('acme/later', async () => value as object);
    });
    for (const method of ['acme/nonsense', 'acme/later']) {
      for (const request of await bothEras(port, method, {})) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({
          id: 1,
          error: { code: -32603, message: 'internal error' },
        });
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    await expectFine(port);
  });

  test('nothing at all has a result without content', async () => {
    const { port, errors } = await serve(server => server.tool('quiet', {}, () => {}));
    for (const request of await bothEras(port, 'tools/call', { name: 'quiet' })) {
      expect(answerOf(await exchange(port, request)).result.content).toEqual([]);
    }
    expect(errors).toEqual([]);
  });

  test('a promise of another library is waited for', async () => {
    const thenable = (value: unknown) => ({
      // biome-ignore lint/suspicious/noThenProperty: query builders are such objects.
      then: (resolve: (value: unknown) => void) => void setImmediate(() => resolve(value)),
    });
    const { port } = await serve(server => {
      server.tool('later', {}, () => thenable('text') as never);
      server.prompt('later', {}, () => thenable('text') as never);
      server.resource('a://later', {}, () => thenable('text') as never);
      server.method('acme/later', () => thenable({ done: true }) as never);
      server.tool(
        'failing',
        {},
        () =>
          ({
            // biome-ignore lint/suspicious/noThenProperty: as above.
            then: (_: unknown, reject: (reason: unknown) => void) => reject(new ToolError('no rows')),
          }) as never,
      );
    });
    for (const request of await bothEras(port, 'tools/call', { name: 'later' })) {
      expect(textOf(await exchange(port, request))).toBe('text');
    }
    for (const request of await bothEras(port, 'tools/call', { name: 'failing' })) {
      expect(textOf(await exchange(port, request))).toBe('no rows');
    }
    for (const request of await bothEras(port, 'prompts/get', { name: 'later' })) {
      expect(answerOf(await exchange(port, request)).result.messages).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'resources/read', { uri: 'a://later' })) {
      expect(answerOf(await exchange(port, request)).result.contents).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'acme/later', {})) {
      expect(answerOf(await exchange(port, request)).result.done).toBe(true);
    }
  });

  test('what its output schema refuses fails without telling the client what it was', async () => {
    const { port, errors } = await serve(server => {
      server.tool('typed', { output: z.object({ n: z.number() }) }, () => ({ n: SECRET }) as never);
      server.tool(
        'json',
        { output: { type: 'object', properties: { n: { type: 'number' } } } },
        () => ({ n: SECRET }) as never,
      );
      server.tool('big', { output: z.any() }, () => 10n);
      server.tool('cyclic', { output: z.any() }, cyclicResult);
    });
    for (const name of ['typed', 'json', 'big', 'cyclic']) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({ id: 1, result: { isError: true } });
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
  });
});
