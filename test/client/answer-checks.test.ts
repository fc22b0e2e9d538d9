import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connect, UsageError } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { ask } from './asked.js';
import { askingServer, open } from './servers.js';

const ROUNDS = ['2025-11-25', '2026-07-28'];
const sample = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const form = (property: object) => ({
  method: 'elicitation/create',
  params: { message: 'Which?', requestedSchema: { type: 'object', properties: { it: property } } },
});
const page = (url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Go', url, elicitationId: '1' },
});

describe.each(ROUNDS)('before it is sent on %s', revision => {
  /** Asks, and expects that no answer is sent but an error with these words. */
  async function refused(question: { method: string; params?: object }, options: object, words: string) {
    const { answer, code, failure } = await ask(revision, question, options);
    expect(answer).toBeUndefined();
    if (revision === '2026-07-28') expect(failure).toMatchObject({ message: expect.stringContaining(words) });
    else expect(code).toBe(-32603);
  }

  // covers: 2026-07-28/sampling/content-is-validated
  it.each([[[]], [{}], [undefined], ['yes'], [{ role: 'assistant', model: 'm', content: {} }]])(
    'the answer %j of a model is refused',
    async value => {
      await refused(sample, { onSample: () => value }, 'onSample');
    },
  );

  it.each([[undefined], [{}], [{ action: 'maybe' }], [true]])(
    'the answer %j to a form is refused',
    async value => {
      await refused(form({ type: 'string' }), { onElicit: () => value }, 'onElicit');
      await refused(page('https://example.com/'), { onElicitUrl: () => value }, 'onElicitUrl');
    },
  );

  // covers: 2026-07-28/roots/root-is-a-file-uri, 2026-07-28/roots/root-uris-are-validated
  it.each([
    'https://example.com/',
    'work',
    'file:///a/../etc',
    'file:///a/%2E%2e/etc',
    'file:///a/..%2Fetc',
    'file:///a\\..\\etc',
    'file:///a/..',
  ])('the root %s is refused', async uri => {
    await refused({ method: 'roots/list', params: {} }, { roots: () => [{ uri }] }, 'roots');
  });

  it.each(['file:///', 'file:///home/ada', 'file:///C:/Users', 'file:///a/..b/c..', 'file://host/share'])(
    'the root %s is good',
    async uri => {
      const { answer } = await ask(
        revision,
        { method: 'roots/list', params: {} },
        { roots: () => [{ uri }] },
      );
      expect(answer).toEqual({ roots: [{ uri }] });
    },
  );

  it.each([
    ['email', 'ada'],
    ['uri', 'not a uri'],
    ['date', '2026-13-01'],
    ['date-time', 'noon'],
  ])('a text that is no %s is refused', async (format, text) => {
    const question = form({ type: 'string', format });
    await refused(
      question,
      { onElicit: () => ({ action: 'accept', content: { it: text } }) },
      'does not fit its form',
    );
  });

  // covers: 2025-11-25/elicitation/urls-are-handled-carefully
  // covers: 2026-07-28/elicitation/urls-are-handled-carefully
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,hi', 'vbscript:x', 'no url', ''])(
    'the page %j is shown to nobody',
    async url => {
      const onElicitUrl = vi.fn(() => ({ action: 'accept' as const }));
      const { answer, code, failure } = await ask(revision, page(url), { onElicitUrl });
      expect(answer).toBeUndefined();
      expect(onElicitUrl).not.toHaveBeenCalled();
      expect(code ?? failure).toBeDefined();
    },
  );
});

it('roots that servers must not get are refused when they are given', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const roots = [{ uri: 'https://example.com/' }];
  await expect(connect(server, { roots })).rejects.toBeInstanceOf(UsageError);
  const client = await open(server, { roots: [] });
  await expect(client.setRoots(roots)).rejects.toBeInstanceOf(UsageError);
});

it('answers by hand are checked, too', async () => {
  const client = await open(askingServer(z.object({ guests: z.number() })), {
    revision: '2026-07-28',
    capabilities: { elicitation: { form: {} } },
  });
  const { held } = await client.begin('tools/call', { name: 'ask', arguments: {} });
  const [name] = Object.keys(held!.questions) as [string];
  for (const answer of [{}, { action: 'accept', content: { guests: 'many' } }]) {
    await expect(client.resume(held!, { [name]: answer as never })).rejects.toThrow(
      new RegExp(`^the answer "${name}" cannot be sent: `),
    );
  }
  const answer = { action: 'accept' as const, content: { guests: 2 } };
  expect((await client.resume(held!, { [name]: answer })).result).toMatchObject({ content: [{}] });
});

it('the blocks of a model become one where a revision knows only one', async () => {
  const text = (value: string) => ({ type: 'text' as const, text: value });
  const onSample = (content: object[]) => () => ({ role: 'assistant', model: 'm', content });
  const one = await ask('2025-06-18', sample, { onSample: onSample([text('a')]) as never });
  expect(one.answer).toMatchObject({ content: text('a') });
  const two = await ask('2025-06-18', sample, { onSample: onSample([text('a'), text('b')]) as never });
  expect(two.code).toBe(-32603);
});
