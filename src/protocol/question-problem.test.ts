import { describe, expect, it } from 'vitest';
import type { SamplingContent, SamplingMessage } from './input.js';
import { conversationProblem } from './question-problem.js';

const text: SamplingContent = { type: 'text', text: 'hello' };
const use = (id: string): SamplingContent => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (toolUseId: string): SamplingContent => ({ type: 'tool_result', toolUseId, content: [] });
const user = (...content: SamplingContent[]): SamplingMessage => ({ role: 'user', content });
const model = (...content: SamplingContent[]): SamplingMessage => ({ role: 'assistant', content });

describe('results of tools in a conversation', () => {
  it.each([
    ['none', [user(text), model(text)]],
    [
      'one, not in a list',
      [
        { role: 'assistant', content: use('a') },
        { role: 'user', content: result('a') },
      ],
    ],
    [
      'several, in any order, after some text',
      [model(text, use('a'), use('b')), user(result('b'), result('a'))],
    ],
    [
      'again and again',
      [model(use('a')), user(result('a')), model(use('a')), user(result('a')), model(text)],
    ],
  ] as [string, SamplingMessage[]][])('are right: %s', (_, messages) => {
    expect(conversationProblem(messages)).toBeUndefined();
  });

  const alone = 'a message with tool results must have the role "user" and contain nothing else';
  // covers: 2025-11-25/sampling/each-tool-use-gets-its-result, 2025-11-25/sampling/tool-results-stand-alone
  // covers: 2025-11-25/sampling/tool-uses-have-results, 2025-11-25/schema/tool-result-has-the-id-of-its-use
  // covers: 2026-07-28/sampling/each-tool-use-gets-its-result, 2026-07-28/sampling/tool-results-stand-alone
  // covers: 2026-07-28/sampling/tool-uses-have-results, 2026-07-28/schema/tool-result-has-the-id-of-its-use
  it.each([
    ['mixed with text', [model(use('a')), user(result('a'), text)], alone],
    ['of the model', [model(use('a')), model(result('a'))], alone],
    [
      'only some',
      [model(use('a'), use('b')), user(result('a'))],
      'the message after the tool use "b" must have its result',
    ],
    [
      'too late',
      [model(use('a')), user(text), user(result('a'))],
      'the message after the tool use "a" must have its result',
    ],
    ['of nothing', [user(result('a'))], 'the message before the result of "a" has no such tool use'],
    ['missing at the end', [user(text), model(use('a'))], 'the tool use "a" has no result'],
  ] as [string, SamplingMessage[], string][])('are wrong: %s', (_, messages, problem) => {
    expect(conversationProblem(messages)).toBe(problem);
  });
});
