import { expect } from 'vitest';

/** Checks what a client did with a desk, as the fixtures report it. */
export function expectUses(report: unknown): void {
  const use = {
    asked: ['How many guests?', expect.stringMatching(/^Take table \d+\?$/)],
    guests: 2,
    cooked: [{ type: 'text', text: 'soup' }],
    lastProgress: 2,
    isRefused: true,
    change: { kind: 'resource', uri: 'menu://today' },
  };
  expect(report).toEqual([
    { revision: '2026-07-28', ...use },
    { revision: '2025-06-18', ...use },
    { tools: ['first__greet', 'second__greet'], content: [{ type: 'text', text: 'Hello Zoë' }] },
  ]);
}
