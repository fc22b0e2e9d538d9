import { clip } from '../../base/clip.js';
import { FORMATS } from '../formats.js';
import type { Keyword } from '../keyword.js';
import { problem } from '../problem.js';

export const STRINGS = {
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
