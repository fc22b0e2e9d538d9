import { describe, expect, it } from 'vitest';
import { quoteBriefly } from './json.js';

describe('a value in a message', () => {
  it.each<[unknown, string]>([
    ['soup', '"soup"'],
    [5, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[1, 2], 'an array'],
    [{ a: 1 }, 'an object'],
    ['x'.repeat(81), `"${'x'.repeat(80)}…"`],
    [`${'x'.repeat(79)}🍲`, `"${'x'.repeat(79)}…"`],
  ])('%j is written as %s', (value, text) => {
    expect(quoteBriefly(value)).toBe(text);
  });
});
