import { describe, expect, it, vi } from 'vitest';
import { Server } from '../../src/server/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';
import { ask } from './asked.js';
import { open } from './servers.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const form = (params: object) => ({ method: 'elicitation/create', params });
const page = (url: unknown) => form({ mode: 'url', message: 'Go', url, elicitationId: '1' });
const sample = (params: object) => ({ method: 'sampling/createMessage', params });
const requestedSchema = { type: 'object', properties: { it: { type: 'string' } } };
const text = { type: 'text', text: 'hi' };

const MALFORMED: [string, object][] = [
  ['a form of an unknown mode', form({ mode: 'qr', message: 'Which?', requestedSchema })],
  ['a form without a message', form({ requestedSchema })],
  ['a page without a message', form({ mode: 'url', url: 'https://bistro.example/' })],
  ['a page with code', page('javascript:alert(1)')],
  ['a page that is a file', page('file:///etc/passwd')],
  ['a page without a URL', page(5)],
  ['a model without a number of tokens', sample({ messages: [] })],
  ['a model without messages', sample({ maxTokens: 1 })],
  [
    'a model with a message of nobody',
    sample({ maxTokens: 1, messages: [{ role: 'system', content: text }] }),
  ],
];

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };

describe.each(MALFORMED)('a question about %s', (_, question) => {
  it.each(REVISIONS)('reaches no handler on %s', async revision => {
    const handler = vi.fn();
    const handlers = { onElicit: handler, onElicitUrl: handler, onSample: handler };
    const { answer, code, failure: error } = await ask(revision, question, handlers);
    expect(handler).not.toHaveBeenCalled();
    expect(answer).toBeUndefined();
    expect(code ?? (error as { code?: unknown }).code).toBe(-32602);
  });

  it('is not given to the author to answer by hand', async () => {
    const { client } = await pair(
      modern({
        'tools/call': ask => ask.result({ resultType: 'input_required', inputRequests: { q: question } }),
      }),
      { capabilities: CAPABILITIES },
    );
    const error = await failure(client.begin('tools/call', { name: 'ask', arguments: {} }));
    expect(error).toMatchObject({ kind: 'invalid-answer' });
  });

  it('is not answered when it is in a held request', async () => {
    const { client, server } = await pair(modern({}), { capabilities: CAPABILITIES });
    const questions = { q: question } as never;
    const held = { method: 'tools/call', params: { name: 'ask', arguments: {} }, round: 1, questions };
    const answer = { action: 'accept', role: 'assistant', model: 'm', content: text } as never;
    expect(await failure(client.resume(held, { q: answer }))).toMatchObject({ kind: 'usage' });
    expect(server.of('tools/call')).toEqual([]);
  });
});

it('an answer by hand to a page, or that accepts no form, is sent without content', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const seen: unknown[] = [];
  server.use({ name: 'watch', receive: (_, next) => next() });
  server.use((call, next) => {
    if (call.params.inputResponses) seen.push(...Object.values(call.params.inputResponses));
    return next();
  });
  server.tool('pay', {}, async (_args, ctx) => {
    const [visited, asked] = await Promise.all([
      ctx.elicitUrl('Pay', 'https://bistro.example/pay'),
      ctx.elicit('Which?', { type: 'object', properties: { it: { type: 'string' } } } as never),
    ]);
    return `${visited.action} ${asked.action}`;
  });
  const client = await open(server, { revision: '2026-07-28', capabilities: CAPABILITIES });
  const { held } = await client.begin('tools/call', { name: 'pay', arguments: {} });
  const answers = Object.entries(held!.questions).map(([name, { params }]) => {
    const action = params && 'mode' in params && params.mode === 'url' ? 'accept' : 'decline';
    return [name, { action, content: { it: 'secret' } }];
  });
  await client.resume(held!, Object.fromEntries(answers));
  expect(seen).toHaveLength(2);
  expect(seen).toEqual(expect.arrayContaining([{ action: 'accept' }, { action: 'decline' }]));
});

it.each([5, null, { a: 1 }])('a result whose state is %j is refused', async requestState => {
  const { client, server } = await pair(
    modern({
      'tools/call': ask =>
        ask.result({
          resultType: 'input_required',
          inputRequests: { q: { method: 'roots/list' } },
          requestState,
        }),
    }),
    { roots: [] },
  );
  expect(await failure(client.callTool('ask'))).toMatchObject({
    kind: 'invalid-answer',
    message: expect.stringContaining('requestState'),
  });
  expect(server.of('tools/call')).toHaveLength(1);
});

describe.each(REVISIONS)('on %s a wrong answer of a handler is reported to its author', revision => {
  it.each<[string, object, object, string]>([
    [
      'that does not fit',
      form({ message: 'Which?', requestedSchema }),
      { it: 5 },
      'does not fit its form: it',
    ],
    ['of another shape', form({ message: 'Which?', requestedSchema }), [], '`onElicit` cannot be sent'],
  ])('%s', async (_, question, content, words) => {
    const onWarning = vi.fn();
    const onElicit = () => ({ action: 'accept', content }) as never;
    const { code, failure: error } = await ask(revision, question, { onElicit, onWarning });
    if (revision === '2026-07-28')
      expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining(words) });
    else {
      expect(code).toBe(-32603);
      expect(onWarning.mock.calls.join()).toContain(words);
    }
  });
});
