import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.js';
import type { ContentBlock } from '../../protocol/content.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { connectTest } from '../../testing/index.js';
import { Server } from '../server.js';
import type { PromptReturn } from './prompts.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const IMAGE: ContentBlock = { type: 'image', data: btoa('image'), mimeType: 'image/png' };
const SOUP = { role: 'user', content: { type: 'text', text: 'Soup' } };

describe.each(REVISIONS)('a prompt on %s', revision => {
  async function get(
    register: (server: Server) => void,
    args?: JsonObject,
    onError = (_: unknown) => {},
  ): Promise<JsonObject> {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    register(server);
    const client = await connectTest(server, { revision });
    return client.request('prompts/get', { name: 'prompt', ...(args && { arguments: args }) });
  }

  const returning = (returned: PromptReturn) => get(server => server.prompt('prompt', {}, () => returned));

  it.each<[string, PromptReturn, unknown[]]>([
    ['text', 'Soup', [SOUP]],
    ['a block', IMAGE, [{ role: 'user', content: IMAGE }]],
    ['a message', { role: 'assistant', content: IMAGE }, [{ role: 'assistant', content: IMAGE }]],
    [
      'a list of all of these',
      ['Soup', IMAGE, { role: 'assistant', content: { type: 'text', text: 'Here' } }],
      [
        SOUP,
        { role: 'user', content: IMAGE },
        { role: 'assistant', content: { type: 'text', text: 'Here' } },
      ],
    ],
    ['an empty list', [], []],
    ['a full result', { messages: [{ role: 'user', content: IMAGE }] }, [{ role: 'user', content: IMAGE }]],
  ])('may return %s', async (_, returned, messages) => {
    expect((await returning(returned)).messages).toEqual(messages);
  });

  it('repeats its description unless the result has one', async () => {
    const described = (returned: PromptReturn) =>
      get(server => server.prompt('prompt', { description: 'Orders a dish' }, async () => returned));
    expect((await described('Soup')).description).toBe('Orders a dish');
    expect((await described({ messages: [] })).description).toBe('Orders a dish');
    expect((await described({ messages: [], description: 'Orders soup' })).description).toBe('Orders soup');
    expect(await returning('Soup')).not.toHaveProperty('description');
  });

  // covers: 2026-07-28/prompts/errors-have-standard-codes
  // covers: 2026-07-28/prompts/inputs-and-outputs-are-validated
  it.each<[string, () => PromptReturn]>([
    ['something that is no prompt', () => ({ n: 1 }) as never],
    ['a message without a role', () => [{ content: IMAGE }] as never],
    ['nothing', () => undefined as never],
    [
      'an error',
      () => {
        throw new Error('the password is 1234');
      },
    ],
  ])('answers %s with an internal error, and reports it', async (_, handler) => {
    const reported: unknown[] = [];
    const failed = get(
      server => server.prompt('prompt', {}, handler),
      undefined,
      error => reported.push(error),
    );
    await expect(failed).rejects.toMatchObject({ code: ERROR.internal, message: 'internal error' });
    expect(reported).toHaveLength(1);
  });

  it('passes on an McpError as it is', async () => {
    const refused = get(server =>
      server.prompt('prompt', {}, () => {
        throw new McpError(1234, 'not for you');
      }),
    );
    await expect(refused).rejects.toMatchObject({ code: 1234, message: 'not for you' });
  });

  // covers: 2026-07-28/prompts/arguments-are-validated
  it('gets its arguments checked, converted and filled in', async () => {
    const input = z.object({ guests: z.coerce.number(), dish: z.string().default('soup') });
    const { messages } = await get(
      server => server.prompt('prompt', { input }, args => JSON.stringify(args)),
      { guests: '2' },
    );
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: '{"guests":2,"dish":"soup"}' } },
    ]);
  });

  it('gets any strings if it has no schema', async () => {
    const { messages } = await get(server => server.prompt('prompt', {}, args => JSON.stringify(args)), {
      a: 'b',
    });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: '{"a":"b"}' } }]);
  });

  it('says which argument is wrong', async () => {
    const input = z.object({ dish: z.enum(['soup', 'pie']) });
    const register = (server: Server) => server.prompt('prompt', { input }, ({ dish }) => dish);
    await expect(get(register, { dish: 'tea' })).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: expect.stringMatching(/^invalid arguments for prompt "prompt": dish: /),
    });
    await expect(get(register, { dish: 5 })).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: 'arguments of a prompt must be an object of strings',
    });
  });

  it('lists its arguments with what their schema says of them', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const input = z.object({
      dish: z.string().meta({ title: 'Dish', description: 'What to eat' }),
      guests: z.string().optional(),
    });
    server.prompt('prompt', { input }, () => '');
    server.prompt('bare', {}, () => '');
    const { prompts } = await (await connectTest(server, { revision })).request('prompts/list');
    expect(prompts).toEqual([
      {
        name: 'prompt',
        arguments: [
          { name: 'dish', title: 'Dish', description: 'What to eat', required: true },
          { name: 'guests' },
        ],
      },
      { name: 'bare' },
    ]);
  });
});
