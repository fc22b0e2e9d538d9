import { describe, expect, it, vi } from 'vitest';
import { McpError } from '../../src/client/index.js';
import type { CreateMessageResult } from '../../src/protocol/input.js';
import { ask } from './asked.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const FORM = {
  message: 'How many guests?',
  requestedSchema: { type: 'object', properties: { n: { type: 'integer' } } },
};
const elicit = (params: object) => ({ method: 'elicitation/create', params });
const sample = (params: object) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9, ...params },
});

const reply: CreateMessageResult = {
  role: 'assistant',
  model: 'm',
  content: { type: 'text', text: 'hello' },
};

describe.each(REVISIONS)('a client of %s', revision => {
  // covers: 2025-11-25/elicitation/no-mode-is-a-form, 2026-07-28/elicitation/client-says-what-is-asked
  // covers: 2026-07-28/elicitation/no-mode-is-a-form
  it('takes a question without a mode for a form, and shows all of it', async () => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { n: 2 } }));
    const { answer } = await ask(revision, elicit(FORM), { onElicit });
    expect(answer).toEqual({ action: 'accept', content: { n: 2 } });
    expect(onElicit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(FORM), expect.anything());
  });

  // covers: 2025-11-25/elicitation/one-mode-at-least, 2026-07-28/elicitation/one-mode-at-least
  it('declares the modes that it supports, at least one', async () => {
    const decline = () => ({ action: 'decline' as const });
    const declared = async (options: object) => (await ask(revision, elicit(FORM), options)).capabilities;
    expect(await declared({ onElicit: decline })).toEqual({ elicitation: { form: {} } });
    expect(await declared({ onElicitUrl: decline })).toEqual({ elicitation: { url: {} } });
    expect(await declared({ onElicit: decline, onElicitUrl: decline })).toEqual({
      elicitation: { form: {}, url: {} },
    });
    expect(await declared({})).toEqual({});
  });

  // covers: 2025-11-25/sampling/tools-are-declared, 2026-07-28/sampling/tools-are-declared
  it('declares that models may use tools if the author says so', async () => {
    const onSample = () => Promise.reject(new Error('no'));
    const capabilities = { sampling: { tools: {} } };
    const declared = async (options: object) => (await ask(revision, elicit(FORM), options)).capabilities;
    expect(await declared({ onSample })).toEqual({ sampling: {} });
    expect(await declared({ onSample, capabilities })).toEqual(capabilities);
  });

  // covers: 2025-11-25/elicitation/elicitation-id-is-opaque, 2025-11-25/elicitation/urls-are-shown-in-full
  // covers: 2026-07-28/elicitation/urls-are-shown-in-full
  it('hands a page over as it is, and omits content from the answer', async () => {
    const page = {
      mode: 'url',
      message: 'Sign in',
      url: 'https://user.example/a?b=%20c#d',
      elicitationId: ' "ß☃"\n{}',
    };
    const onElicitUrl = vi.fn(() => ({ action: 'accept' as const, content: { secret: 1 } }));
    const { answer } = await ask(revision, elicit(page), { onElicitUrl });
    expect(answer).toEqual({ action: 'accept' });
    expect(onElicitUrl).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(page), expect.anything());
  });

  // covers: 2025-11-25/sampling/tools-are-declared
  // covers: 2025-11-25/schema/tool-choice-without-the-capability-is-an-error
  // covers: 2025-11-25/schema/tools-without-the-capability-are-an-error
  // covers: 2026-07-28/sampling/tools-are-declared
  // covers: 2026-07-28/schema/tool-choice-without-the-capability-is-an-error
  // covers: 2026-07-28/schema/tools-without-the-capability-are-an-error
  it('lets a model use tools only if it declared that', async () => {
    const onSample = vi.fn(() => reply);
    for (const params of [{ tools: [] }, { toolChoice: { mode: 'auto' } }]) {
      const refused = await ask(revision, sample(params), { onSample });
      expect(refused.capabilities).toEqual({ sampling: {} });
      expect(refused.answer).toBeUndefined();
      expect(refused.code ?? refused.failure).toBeDefined();
      expect(onSample).not.toHaveBeenCalled();
      const capabilities = { sampling: { tools: {} } };
      const answered = await ask(revision, sample(params), { onSample, capabilities });
      expect(answered.capabilities).toEqual(capabilities);
      expect(answered.answer).toEqual(reply);
      onSample.mockClear();
    }
  });

  // covers: 2026-07-28/sampling/client-has-approval-controls
  it('sends no message of a model that the user rejects', async () => {
    const onSample = () => Promise.reject(new McpError(-1, 'User rejected sampling request'));
    const { answer, code, failure } = await ask(revision, sample({}), { onSample });
    expect(answer).toBeUndefined();
    if (revision === '2026-07-28') expect(failure).toMatchObject({ code: -1 });
    else expect(code).toBe(-1);
  });

  // covers: 2025-11-25/schema/tool-result-meta-is-preserved, 2025-11-25/schema/tool-use-meta-is-preserved
  // covers: 2026-07-28/schema/tool-result-meta-is-preserved, 2026-07-28/schema/tool-use-meta-is-preserved
  it('keeps the metadata of tool uses and results', async () => {
    const use = { type: 'tool_use', id: 'a', name: 'look', input: {}, _meta: { 'com.example/cache': 1 } };
    const result = { type: 'tool_result', toolUseId: 'a', content: [], _meta: { 'com.example/cache': 2 } };
    const messages = [
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result] },
    ];
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
    const onSample = vi.fn(() => ({ role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] }));
    const { answer } = await ask(revision, sample({ messages, tools }), {
      onSample: onSample as never,
      capabilities: { sampling: { tools: {} } },
    });
    expect(onSample).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ messages }),
      expect.anything(),
    );
    expect(answer).toMatchObject({ content: [use] });
  });
});

describe('a client of 2025-11-25', () => {
  // covers: 2025-11-25/elicitation/undeclared-mode-is-32602
  it('answers a question in a mode that it did not declare with -32602', async () => {
    const decline = () => ({ action: 'decline' as const });
    const page = elicit({ mode: 'url', message: '', url: 'https://example.com', elicitationId: '1' });
    expect((await ask('2025-11-25', page, { onElicit: decline })).code).toBe(-32602);
    expect((await ask('2025-11-25', elicit(FORM), { onElicitUrl: decline })).code).toBe(-32602);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a conversation with tools on %s', revision => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
  const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] });

  // covers: 2025-11-25/sampling/client-answers-with-errors
  it.each<[string, object[]]>([
    ['a result is missing', [result('a')]],
    ['the results are mixed with text', [result('a'), result('b'), { type: 'text', text: 'x' }]],
  ])('is refused with -32602 if %s', async (_, content) => {
    const onSample = vi.fn();
    const messages = [
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content },
    ];
    const question = { method: 'sampling/createMessage', params: { messages, maxTokens: 9 } };
    const options = { onSample, capabilities: { sampling: { tools: {} } } };
    const { code, failure } = await ask(revision, question, options);
    expect(code ?? (failure as McpError).code).toBe(-32602);
    expect(onSample).not.toHaveBeenCalled();
  });
});
