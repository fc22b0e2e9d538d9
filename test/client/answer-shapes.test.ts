import { describe, expect, test } from 'vitest';
import { ask } from './asked.js';
import { HANDSHAKES } from './scripted-server.js';

const SAMPLE = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
};
const USE = { type: 'tool_use' as const, id: 't', name: 'search', input: {} };

describe("a model's answer that uses a tool", () => {
  test.each(HANDSHAKES.filter(revision => revision < '2025-11-25'))(
    'is not sent to a server of %s, which has no tools in sampling',
    async revision => {
      for (const content of [USE, [USE]]) {
        const { code, answer } = await ask(revision, SAMPLE, {
          onSample: () => ({ role: 'assistant', model: 'm', content }),
        });
        expect(answer).toBeUndefined();
        expect(code).toBe(-32603);
      }
    },
  );

  test('is sent to a server of 2025-11-25 that offered tools', async () => {
    const params = { ...SAMPLE.params, tools: [{ name: 'search', inputSchema: { type: 'object' } }] };
    const { answer } = await ask(
      '2025-11-25',
      { ...SAMPLE, params },
      {
        capabilities: { sampling: { tools: {} } },
        onSample: () => ({ role: 'assistant', model: 'm', content: [USE], stopReason: 'toolUse' }),
      },
    );
    expect(answer).toMatchObject({ content: [USE] });
  });
});

describe.each([...HANDSHAKES, '2026-07-28'])("a model's answer on %s", revision => {
  const TEXT = { type: 'text', text: 'Hi' };
  const IMAGE = { type: 'image', data: 'eA==', mimeType: 'image/png' };
  const FINE = { role: 'assistant', model: 'm', content: TEXT };

  test.each<[string, unknown, string]>([
    ['an image that is not base64', { ...FINE, content: { ...IMAGE, data: 'not base64!' } }, 'base64'],
    ['an image without a MIME type', { ...FINE, content: { ...IMAGE, mimeType: 'png' } }, 'mimeType'],
    ['sound that is not base64', { ...FINE, content: { ...IMAGE, type: 'audio', data: '~' } }, 'base64'],
    ['a stop reason that is no text', { ...FINE, stopReason: 7 }, '`stopReason`'],
    ['metadata that is no object', { ...FINE, _meta: 'x' }, '`_meta`'],
    ['wrong annotations', { ...FINE, content: { ...TEXT, annotations: { priority: 7 } } }, 'priority'],
    ['a tool result', { ...FINE, content: [{ type: 'tool_result', toolUseId: 't', content: [] }] }, 'tool'],
    ['the use of a tool that was not offered', { ...FINE, content: [USE] }, 'tool'],
    ['no model', { ...FINE, model: undefined }, '`model`'],
    ['another role', { ...FINE, role: 'system' }, '`role`'],
    ['an unknown kind of content', { ...FINE, content: { type: 'video' } }, '`content`'],
  ])('is not sent if it has %s', async (_, answer, reason) => {
    const warnings: string[] = [];
    const sent = await ask(revision, SAMPLE, {
      onSample: () => answer as never,
      onWarning: warning => warnings.push(warning),
    });
    expect(sent.answer).toBeUndefined();
    if (revision === '2026-07-28') expect(sent.failure?.message).toContain(reason);
    else expect(sent.code).toBe(-32603);
    // A server of the handshake revisions gets an error, and the author hears why.
    if (revision !== '2026-07-28') expect(warnings.join()).toContain(reason);
  });

  test('is sent with an image', async () => {
    const answer = { ...FINE, content: IMAGE, stopReason: 'endTurn' } as const;
    expect((await ask(revision, SAMPLE, { onSample: () => answer as never })).answer).toEqual(answer);
  });
});

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('an answer to a form of %s', revision => {
  const FORM = {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: { 0: { type: 'string' } } } },
  };

  test.each([['text'], [['a', 'b']], [7]])('is not sent if its content is %j', async content => {
    const { answer, code, failure } = await ask(revision, FORM, {
      onElicit: () => ({ action: 'accept', content: content as never }),
    });
    expect(answer).toBeUndefined();
    if (revision === '2026-07-28') expect(failure?.message).toContain('`content`');
    else expect(code).toBe(-32603);
  });
});

describe('a list in the answer to a form', () => {
  const FORM = {
    method: 'elicitation/create',
    params: {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  };
  const onElicit = () => ({ action: 'accept' as const, content: { name: 'Anna', guests: ['Ben', 'Cleo'] } });

  test('is not sent to a server of 2025-06-18, whose answers have strings, numbers and booleans only', async () => {
    const { answer, code } = await ask('2025-06-18', FORM, { onElicit });
    expect(answer).toBeUndefined();
    expect(code).toBe(-32603);
  });

  test('is sent to a server of 2025-11-25', async () => {
    const { answer } = await ask('2025-11-25', FORM, { onElicit });
    expect(answer).toMatchObject({ content: { guests: ['Ben', 'Cleo'] } });
  });
});

describe.each(['2025-06-18', '2026-07-28'])('an answer of middleware on %s', revision => {
  const FORM = {
    method: 'elicitation/create',
    params: {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  };
  const ROOTS = { method: 'roots/list' };
  const options = (answer: unknown) => ({
    roots: [],
    onElicit: () => ({ action: 'decline' as const }),
    onSample: () => ({}) as never,
    middleware: [{ name: 'mine', question: async () => answer as never }],
  });

  test.each<[object, unknown, string]>([
    [FORM, { action: 'yes' }, '`action`'],
    [FORM, 'accept', '`action`'],
    [FORM, { action: 'accept' }, 'does not fit its form'],
    [FORM, { action: 'accept', content: { name: 7 } }, 'does not fit its form'],
    [FORM, { action: 'accept', content: { name: { first: 'Anna' } } }, 'field "name"'],
    [ROOTS, { roots: [{ uri: 'https://bistro.example/' }] }, 'file:'],
    [ROOTS, {}, 'roots'],
    [SAMPLE, { role: 'assistant' }, '`model`'],
  ])('to %j is not sent if it is %j', async (question, answer, reason) => {
    const warnings: string[] = [];
    const onWarning = (warning: string) => void warnings.push(warning);
    const sent = await ask(revision, question, { ...options(answer), onWarning });
    expect(sent.answer).toBeUndefined();
    expect(sent.failure?.message ?? warnings.join()).toContain(reason);
    if (revision === '2025-06-18') expect(sent.code).toBe(-32603);
  });

  test.each<[object, object]>([
    [FORM, { action: 'accept', content: { name: 'Anna' } }],
    [FORM, { action: 'cancel' }],
    [ROOTS, { roots: [{ uri: 'file:///menu' }] }],
    [SAMPLE, { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi' } }],
  ])('to %j is sent if it is %j', async (question, answer) => {
    expect((await ask(revision, question, options(answer))).answer).toEqual(answer);
  });
});
