import { describe, expect, it } from 'vitest';
import { compareSchemas } from './compare-schemas.js';

const object = (properties: object, required: string[] = [], rest: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...rest,
});
const of = (schema: object) => object({ dish: schema });

/** Before, after, whether it breaks as input, whether it breaks as output, and what is said. */
const CHANGES: [string, object, object, boolean, boolean, string][] = [
  [
    'a property that is newly required',
    object({ a: {} }),
    object({ a: {} }, ['a']),
    true,
    false,
    'a is now required',
  ],
  [
    'a property that is optional now',
    object({ a: {} }, ['a']),
    object({ a: {} }),
    false,
    true,
    'a is no longer required',
  ],
  ['a property that is gone', object({ a: {} }), object({}), true, true, 'a was removed'],
  ['a new property', object({}), object({ a: {} }), false, false, 'a was added'],
  [
    'a new required property',
    object({}),
    object({ a: {} }, ['a']),
    true,
    false,
    'a was added, and is required',
  ],
  [
    'a narrower type',
    of({ type: 'number' }),
    of({ type: 'integer' }),
    true,
    false,
    'dish: type was number, and is integer',
  ],
  [
    'a wider type',
    of({ type: 'string' }),
    of({ type: ['string', 'null'] }),
    false,
    true,
    'dish: type was string, and is string | null',
  ],
  [
    'another type',
    of({ type: 'string' }),
    of({ type: 'array' }),
    true,
    true,
    'dish: type was string, and is array',
  ],
  [
    'a type where there was none',
    of({}),
    of({ type: 'string' }),
    true,
    false,
    'dish: type was anything, and is string',
  ],
  [
    'a choice that is gone',
    of({ enum: ['a', 'b'] }),
    of({ enum: ['a'] }),
    true,
    false,
    'dish: "b" was removed',
  ],
  ['a new choice', of({ enum: ['a'] }), of({ enum: ['a', 'b'] }), false, true, 'dish: "b" was added'],
  [
    'choices where there were none',
    of({}),
    of({ enum: ['a'] }),
    true,
    false,
    'dish: only "a" is allowed now',
  ],
  ['a higher minimum', of({ minimum: 1 }), of({ minimum: 2 }), true, false, 'dish: minimum was 1, and is 2'],
  ['a higher maximum', of({ maximum: 1 }), of({ maximum: 2 }), false, true, 'dish: maximum was 1, and is 2'],
  ['a new maximum', of({}), of({ maxLength: 9 }), true, false, 'dish: maxLength was none, and is 9'],
  [
    'another pattern',
    of({ pattern: 'a' }),
    of({ pattern: 'b' }),
    true,
    true,
    'dish: pattern was "a", and is "b"',
  ],
  [
    'no other properties',
    object({}),
    object({}, [], { additionalProperties: false }),
    true,
    false,
    'the object: other properties are refused now',
  ],
  [
    'a change in a list',
    of({ type: 'array', items: { enum: ['a', 'b'] } }),
    of({ type: 'array', items: { enum: ['a'] } }),
    true,
    false,
    'dish[]: "b" was removed',
  ],
  ['a change in an object', of(object({ a: {} })), of(object({})), true, true, 'dish.a was removed'],
  [
    'an alternative that is gone',
    of({ anyOf: [{ type: 'string' }, { type: 'number' }, { const: 1 }] }),
    of({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
    true,
    false,
    'dish: 1 of its alternatives changed or went',
  ],
  [
    'another description',
    of({ description: 'a' }),
    of({ description: 'b' }),
    false,
    false,
    'dish: description changed',
  ],
];

describe('changes of schemas', () => {
  it.each(CHANGES)('%s', (_, before, after, breaksInput, breaksOutput, what) => {
    expect(compareSchemas({ ...before }, { ...after }, 'input')).toEqual([{ isBreaking: breaksInput, what }]);
    expect(compareSchemas({ ...before }, { ...after }, 'output')).toEqual([
      { isBreaking: breaksOutput, what },
    ]);
  });

  it('are none where only the order differs, or a reference is written out', () => {
    const before = object({ a: { $ref: '#/$defs/x' }, b: {} }, ['a', 'b'], {
      $defs: { x: { type: 'string' } },
    });
    const after = object({ b: {}, a: { type: 'string' } }, ['b', 'a']);
    expect(compareSchemas(before, after, 'input')).toEqual([]);
  });

  it('are found in schemas that refer to themselves, once', () => {
    const tree = (type: string) => ({
      $ref: '#/$defs/tree',
      $defs: {
        tree: object({ value: { type }, left: { $ref: '#/$defs/tree' }, right: { $ref: '#/$defs/tree' } }),
      },
    });
    expect(compareSchemas(tree('number'), tree('integer'), 'input')).toEqual([
      { isBreaking: true, what: 'value: type was number, and is integer' },
    ]);
  });
});
