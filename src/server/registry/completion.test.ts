import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw } from '../../../test/raw-client.js';
import { ERROR } from '../../protocol/errors.js';
import { connectTest, type TestClient } from '../../testing/index.js';
import { Server } from '../server.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const MANY = Array.from({ length: 150 }, (_, at) => `dish ${at}`);

describe.each(REVISIONS)('completion on %s', revision => {
  let client: TestClient;

  beforeAll(async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const input = z.object({
      dish: z.string(),
      drink: z.string(),
      many: z.string(),
      part: z.string(),
      cut: z.string(),
      none: z.string(),
      slow: z.string(),
      sauce: z.string(),
    });
    server.prompt(
      'order',
      {
        input,
        complete: {
          dish: value => ['soup', 'salad', 'pie'].filter(dish => dish.startsWith(value)),
          drink: (value, chosen) => [`${value} with ${chosen.dish ?? 'nothing'}`],
          many: () => MANY,
          part: () => ({ values: ['a', 'b'], total: 1000 }),
          cut: () => ({ values: MANY, hasMore: false }),
          sauce: ['Mint', 'mustard', 'Ketchup'],
          slow: async value => [`slow ${value}`],
        },
      },
      () => '',
    );
    server.resource('menu://{day}', { complete: { day: () => ['today'] } }, ({ day }) => day);
    server.resource('menu://today', {}, () => 'Soup');
    client = await connectTest(server, { revision });
  });

  async function complete(name: string, value = '', context?: object): Promise<unknown> {
    const { completion } = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'order' },
      argument: { name, value },
      ...(context && { context }),
    });
    return completion;
  }

  it('suggests what fits what was typed', async () => {
    expect(await complete('dish', 's')).toEqual({ values: ['soup', 'salad'], total: 2, hasMore: false });
    expect(await complete('slow', 's')).toEqual({ values: ['slow s'], total: 1, hasMore: false });
  });

  it('offers those of a list that begin with what was typed, in small or capital letters', async () => {
    expect(await complete('sauce', 'M')).toEqual({ values: ['Mint', 'mustard'], total: 2, hasMore: false });
    expect(await complete('sauce')).toMatchObject({ values: ['Mint', 'mustard', 'Ketchup'] });
    expect(await complete('sauce', 'x')).toEqual({ values: [], total: 0, hasMore: false });
  });

  it('knows the arguments that were chosen before, if they are text', async () => {
    expect(await complete('drink', 'tea', { arguments: { dish: 'soup' } })).toMatchObject({
      values: ['tea with soup'],
    });
    for (const context of [undefined, {}, { arguments: null }]) {
      expect(await complete('drink', 'tea', context)).toMatchObject({ values: ['tea with nothing'] });
    }
  });

  it.each([{ arguments: { dish: 5 } }, []])('refuses the malformed context %j', async context => {
    await expect(complete('drink', 'tea', context)).rejects.toMatchObject({ code: ERROR.invalidParams });
  });

  it('sends at most a hundred values, and says how many there are', async () => {
    expect(await complete('many')).toEqual({ values: MANY.slice(0, 100), total: 150, hasMore: true });
  });

  it('passes on what a completer says of the rest', async () => {
    expect(await complete('part')).toEqual({ values: ['a', 'b'], total: 1000, hasMore: true });
  });

  it('never says that there is no more when it has cut some off', async () => {
    expect(await complete('cut')).toEqual({ values: MANY.slice(0, 100), hasMore: true });
  });

  it('has no suggestions for an argument without a completer', async () => {
    expect(await complete('none')).toEqual({ values: [], total: 0, hasMore: false });
  });

  it.each(['unknown', 'constructor', '__proto__'])(
    'refuses the argument %s, which does not exist',
    async name => {
      await expect(complete(name)).rejects.toMatchObject({
        code: ERROR.invalidParams,
        message: `unknown argument: ${name}`,
      });
    },
  );

  it('completes the variables of a template, and has nothing to say on a fixed resource', async () => {
    const ask = (uri: string) =>
      client.request('completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name: 'day', value: '' },
      });
    expect(await ask('menu://{day}')).toMatchObject({ completion: { values: ['today'] } });
    expect(await ask('menu://today')).toMatchObject({ completion: { values: [] } });
  });

  // covers: 2026-07-28/completion/completion-inputs-are-validated
  // covers: 2026-07-28/completion/errors-have-standard-codes, 2026-07-28/completion/inputs-are-validated
  it.each([
    ['an unknown prompt', { ref: { type: 'ref/prompt', name: 'nope' } }],
    ['an unknown template', { ref: { type: 'ref/resource', uri: 'nope://{x}' } }],
    ['an unknown kind of reference', { ref: { type: 'ref/tool', name: 'order' } }],
    ['no reference', {}],
    ['no argument', { ref: { type: 'ref/prompt', name: 'order' }, argument: undefined }],
    [
      'an argument without a value',
      { ref: { type: 'ref/prompt', name: 'order' }, argument: { name: 'dish' } },
    ],
  ])('refuses %s with -32602', async (_, params) => {
    const asked = client.request('completion/complete', { argument: { name: 'dish', value: '' }, ...params });
    await expect(asked).rejects.toMatchObject({ code: ERROR.invalidParams });
  });
});

// covers: 2026-07-28/completion/capability-is-declared, 2026-07-28/completion/errors-have-standard-codes
it('is not offered by a server that completes nothing', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.prompt('order', { input: z.object({ dish: z.string() }) }, () => '');
  const client = await connectRaw(server);
  const asked = client.request('completion/complete', {
    ref: { type: 'ref/prompt', name: 'order' },
    argument: { name: 'dish', value: '' },
  });
  await expect(asked).rejects.toMatchObject({ code: ERROR.methodNotFound });
});
