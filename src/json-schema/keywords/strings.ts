import { FORMATS } from '../formats.js';
import type { Keyword } from '../keyword.js';
import { clip, problem, some } from '../problem.js';

export const STRINGS = {
  minLength(at) {
    const least = at.count();
    const text = `must have at least ${some(least, 'character')}`;
    return (value, { budget }) => {
      // A character takes one or two units of a string, so most lengths are plain without counting.
      if (typeof value !== 'string' || value.length >= 2 * least) return undefined;
      budget.spend(value.length >> 3);
      return countCharacters(value) >= least ? undefined : problem(text);
    };
  },

  maxLength(at) {
    const most = at.count();
    const text = `must have at most ${some(most, 'character')}`;
    return (value, { budget }) => {
      if (typeof value !== 'string' || value.length <= most) return undefined;
      if (value.length > 2 * most) return problem(text);
      budget.spend(value.length >> 3);
      return countCharacters(value) <= most ? undefined : problem(text);
    };
  },

  pattern(at) {
    const pattern = at.pattern();
    const text = `must match the pattern ${clip(pattern.source, 100)}`;
    return (value, { budget }) =>
      typeof value === 'string' && pattern.test(value, budget) === false ? problem(text) : undefined;
  },

  format(at) {
    const format = at.options.checkFormats ? FORMATS.get(at.string()) : undefined;
    if (!format) return undefined;
    const text = `must be ${format.called}`;
    return (value, { budget }) => {
      if (typeof value !== 'string') return undefined;
      budget.spend(value.length >> 1);
      return format.test(value) ? undefined : problem(text);
    };
  },
} satisfies Record<string, Keyword>;

function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (
      isBetween(text.charCodeAt(at), 0xd800, 0xdbff) &&
      isBetween(text.charCodeAt(at + 1), 0xdc00, 0xdfff)
    ) {
      count--;
      at++;
    }
  }
  return count;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
