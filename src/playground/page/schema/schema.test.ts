import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson, writeJson } from '../form/json-text.js';
import { check } from './check.js';
import { initialValue } from './initial-value.js';
import { kindOf, labelsOf, variantsOf } from './kind.js';
import { limitsOf } from './limits.js';
import type { Schema } from './schema.js';

/** A schema, and a value that fits. */
interface Sample {
  readonly schema: Schema;
  readonly value: unknown;
}

const names = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('constructor', '__proto__', 'a/b', '~'));
const { sample } = fc.letrec<{ sample: Sample }>(tie => ({
  sample: fc.oneof(
    { depthSize: 'small' },
    fc.string().map(value => ({ schema: { type: 'string', maxLength: [...value].length }, value })),
    fc.integer().map(value => ({ schema: { type: 'integer', minimum: value }, value })),
    fc.boolean().map(value => ({ schema: { type: 'boolean' }, value })),
    fc.string().map(value => ({ schema: { enum: ['other', value] }, value })),
    fc.jsonValue().map(value => ({ schema: { const: value }, value })),
    fc.jsonValue().map(value => ({ schema: {}, value })),
    fc
      .array(tie('sample'), { minLength: 1, maxLength: 3 })
      .map(([first]) => ({ schema: { type: 'array', items: first?.schema }, value: [first?.value] })),
    fc.dictionary(names, tie('sample'), { maxKeys: 4, noNullPrototype: true }).map(toObject),
    fc
      .tuple(tie('sample'), tie('sample'))
      .map(([one, other]) => ({ schema: { anyOf: [one.schema, other.schema] }, value: other.value })),
  ) as fc.Arbitrary<Sample>,
}));

function toObject(members: Readonly<Record<string, Sample>>): Sample {
  const pick = (member: keyof Sample) =>
    Object.fromEntries(Object.entries(members).map(([name, sample]) => [name, sample[member]]));
  const schema = {
    type: 'object',
    properties: pick('schema'),
    required: Object.keys(members),
    additionalProperties: false,
  };
  return { schema, value: pick('value') };
}

describe('a form', () => {
  it('finds nothing wrong with a value that fits', () => {
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        expect(check(value, schema, schema)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('has the same value after a way through the JSON beside it', () => {
    fc.assert(
      fc.property(sample, ({ value }) => {
        expect(readJson(writeJson(value))).toEqual({ value: JSON.parse(JSON.stringify(value)) });
      }),
    );
    expect(readJson(writeJson(undefined))).toEqual({ value: undefined });
    expect(readJson('{"a":').problem).toBeDefined();
  });

  it('begins with the default, whatever it is', () => {
    fc.assert(
      fc.property(sample, ({ schema, value }) => {
        const root = { type: 'object', properties: { a: { ...schema, default: value } } };
        expect(initialValue(root, root)).toEqual({ a: value });
      }),
    );
  });

  it('begins without a decision of the user: nothing is chosen, nothing is answered', () => {
    const schema = {
      type: 'object',
      properties: {
        isOpen: { type: 'boolean' },
        day: { enum: ['monday', 'friday'] },
        guests: { type: 'integer' },
        dishes: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        version: { const: 2 },
        wine: { type: 'string' },
      },
      required: ['isOpen', 'day', 'guests', 'dishes', 'place', 'version'],
    };
    expect(initialValue(schema, schema)).toEqual({ dishes: [], place: {}, version: 2 });
    const flaws = check(initialValue(schema, schema), schema, schema);
    expect(flaws.map(({ path }) => path)).toEqual(['/isOpen', '/day', '/guests', '/place/city']);
  });

  it('ends for a schema that requires itself', () => {
    const schema = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] };
    expect(JSON.stringify(initialValue(schema, schema))).toMatch(/^(\{"child":){2,10}\{\}\}+$/);
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    expect(check(1, loop, loop)).toEqual([]);
  });

  it('offers each variant with what all of them have in common', () => {
    const schema = {
      type: 'object',
      properties: { email: { type: 'string' }, phone: { type: 'string' } },
      anyOf: [{ required: ['email'] }, { $ref: '#/$defs/phone' }],
      $defs: { phone: { title: 'By phone', required: ['phone'] } },
    };
    const variants = variantsOf(schema, schema);
    expect(variants.map(kindOf)).toEqual(['object', 'object']);
    expect(labelsOf(variants)).toEqual(['object', 'By phone']);
    expect(check({ phone: '1' }, schema, schema)).toEqual([]);
    expect(check({}, schema, schema)).toEqual([{ path: '/email', message: 'is required' }]);
  });
});

describe('what a field says of its value', () => {
  it.each<[Schema, string[]]>([
    [{ type: 'integer', minimum: 2, maximum: 20 }, ['whole number', '2 to 20']],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, ['more than 0', 'less than 1']],
    [{ type: 'number', multipleOf: 0.5 }, ['a multiple of 0.5']],
    [{ type: 'integer', maximum: Number.MAX_SAFE_INTEGER }, ['whole number']],
    [{ type: 'string', minLength: 1 }, []],
    [{ type: 'string', minLength: 3 }, ['at least 3 characters']],
    [{ type: 'string', format: 'date', pattern: '^\\d+$' }, ['a date']],
    [{ type: 'string', minLength: 4, maxLength: 4 }, ['exactly 4 characters']],
    [{ type: 'string', pattern: '^[a-z]+$' }, ['pattern ^[a-z]+$']],
    [{ type: 'string', format: 'email', maxLength: 99 }, ['an email address', 'at most 99 characters']],
    [{ type: 'array', minItems: 1, uniqueItems: true }, ['at least 1 entry', 'all different']],
    [{ type: 'boolean' }, []],
  ])('is for %j: %j', (schema, limits) => {
    expect(limitsOf(schema)).toEqual(limits);
  });
});
