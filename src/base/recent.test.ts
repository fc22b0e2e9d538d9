import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recent } from './recent.js';

describe('Recent', () => {
  it('forgets the oldest when there are too many', () => {
    const recent = new Recent<number>(2);
    for (const [at, key] of ['a', 'b', 'c'].entries()) recent.set(key, at);
    expect(['a', 'b', 'c'].map(key => recent.get(key))).toEqual([undefined, 1, 2]);
  });

  it('takes what is set again for new, and has room again for what was deleted', () => {
    const recent = new Recent<number>(2);
    recent.set('a', 1);
    recent.set('b', 2);
    recent.set('a', 3);
    recent.set('c', 4);
    expect(['a', 'b', 'c'].map(key => recent.get(key))).toEqual([3, undefined, 4]);
    recent.delete('c');
    recent.set('d', 5);
    expect(['a', 'c', 'd'].map(key => recent.get(key))).toEqual([3, undefined, 5]);
  });

  it('has the newest values of the last keys, whatever happens', () => {
    const all = ['a', 'b', 'c', 'd', 'e'];
    const key = fc.constantFrom(...all);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(key), (max, keys) => {
        const recent = new Recent<number>(max);
        for (const [at, each] of keys.entries()) recent.set(each, at);
        const last = [...new Set([...keys].reverse())].slice(0, max);
        for (const each of all) {
          expect(recent.get(each)).toBe(last.includes(each) ? keys.lastIndexOf(each) : undefined);
        }
      }),
    );
  });
});
