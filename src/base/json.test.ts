import { describe, expect, it } from 'vitest';
import { copyPlain } from './copy-plain.js';
import { quoteBriefly } from './json.js';
import { isLonger } from './json-length.js';

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

describe('a copy of a plain value', () => {
  it.each<[string, unknown, unknown]>([
    ['a number that JSON cannot carry', [Number.POSITIVE_INFINITY, 1], [null, 1]],
    ['members without a value', { a: undefined, b: [undefined, null, true] }, { b: [null, null, true] }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ])('carries %s as JSON does', (_what, value, copy) => {
    expect(copyPlain(value)).toEqual(copy);
  });

  it('has a member called __proto__ of its own, which can be changed', () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"polluted":[]},"a":1}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":[]},"a":1}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Reflect.deleteProperty(copy, '__proto__')).toBe(true);
  });
});

describe('the length of a text', () => {
  const VALUES = ['soup', 5, null, [], {}, ['a', [1, 2], { b: 'c' }], { a: { b: [] }, c: undefined, d: 'e' }];

  it.each(VALUES)('of %j is not longer than it is', value => {
    expect(isLonger(value, JSON.stringify(value).length)).toBe(false);
  });

  it.each([[Array(100).fill('a')], [{ long: 'x'.repeat(100) }], ['x'.repeat(101)]])(
    'of %j is longer than a hundred characters',
    value => expect(isLonger(value, 100)).toBe(true),
  );
});
