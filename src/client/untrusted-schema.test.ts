import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileUntrustedSchema, SchemaRefused } from './untrusted-schema.js';

async function problemOf(schema: unknown, value: unknown): Promise<string | undefined> {
  return (await compileUntrustedSchema(schema)).check(value)?.problem;
}

async function refusalOf(schema: unknown): Promise<SchemaRefused> {
  const error = await compileUntrustedSchema(schema).catch(thrown => thrown);
  expect(error).toBeInstanceOf(SchemaRefused);
  return error;
}

/** What a check says: nothing, a problem, or why it gave up. */
function verdict(check: () => { problem: string } | undefined): string | undefined {
  try {
    return check()?.problem;
  } catch (error) {
    expect(error).toBeInstanceOf(SchemaRefused);
    return (error as SchemaRefused).reason;
  }
}

afterEach(() => vi.restoreAllMocks());

describe('a problem', () => {
  const party = {
    type: 'object',
    required: ['guests'],
    properties: {
      guests: { type: 'integer', minimum: 1 },
      names: { type: 'array', items: { type: 'string', minLength: 1 } },
    },
    additionalProperties: false,
  };

  it('is told with its place', async () => {
    expect(await problemOf(party, { guests: 0 })).toBe('guests: must be >= 1');
    expect(await problemOf(party, { guests: 2, names: ['Ann', ''] })).toBe(
      'names.1: must have at least 1 characters',
    );
    expect(await problemOf(party, { guests: 2, pets: 1 })).toBe('pets: is not allowed');
    expect(await problemOf(party, {})).toBe('must have the property "guests"');
    expect(await problemOf(party, undefined)).toBe('must be object');
  });

  it('is the first one only', async () => {
    expect(await problemOf(party, { guests: 'x', names: 3 })).toBe('guests: must be integer');
  });

  it('is absent if the value fits', async () => {
    expect(await problemOf(party, { guests: 2, names: ['Ann'] })).toBeUndefined();
  });

  it('stays short when names and values are long', async () => {
    const long = 'x'.repeat(1_000_000);
    const nested = JSON.parse(`${'{"a":'.repeat(200)}{"${long}":1}${'}'.repeat(200)}`);
    const schema = { additionalProperties: { $ref: '#' }, type: 'object' };
    expect((await problemOf(schema, nested))?.length).toBeLessThan(1_000);
    expect((await problemOf({ enum: Array(10).fill(long) }, 1))?.length).toBeLessThan(1_000);
    expect((await problemOf({ required: [long] }, {}))?.length).toBeLessThan(1_000);
  });
});

describe('a keyword', () => {
  const ref = { $defs: { a: { type: 'string' } } };
  const cases: [schema: unknown, fits: unknown[], doesNot: unknown[]][] = [
    [true, [1, null], []],
    [false, [], [1, null]],
    [{}, [1, null, {}], []],
    [{ type: 'integer' }, [1, 1.0, -0, 1e300], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['', null], [0, [], {}]],
    [{ type: 'object' }, [{}], [[], null]],
    [
      { enum: [1, 'a', null, { a: [1, { b: 2, c: 3 }] }] },
      [1, 'a', null, { a: [1, { c: 3, b: 2 }] }],
      ['1', { a: [1] }],
    ],
    [{ const: { a: false } }, [{ a: false }], [{ a: 0 }, {}, [false]]],
    [{ multipleOf: 0.01 }, [19.99, 4.35, 0, 1e20, 'x'], [0.005, 1.999]],
    [{ multipleOf: 3 }, [9, -3, 0], [10, 4.5]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2, 'x'], [1, 3]],
    [{ minLength: 2, maxLength: 3 }, ['😀😀', '😀😀😀', 'ab', 5], ['😀', 'a', '😀😀😀😀', 'abcd']],
    [{ pattern: 'b+' }, ['abc', 5], ['ac']],
    [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], 'x'], [[], [1, 2, 3]]],
    [
      { uniqueItems: true },
      [
        [1, '1', true, null, [1], { a: 1 }],
        [
          { a: 1, b: 2 },
          { b: 1, a: 2 },
        ],
      ],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ uniqueItems: true }, [['[1,]', [1], '"x', 'x', '{}', {}, 'null', null]], [[0, -0]]],
    [{ uniqueItems: false }, [[1, 1]], []],
    [
      { contains: { type: 'number' }, minContains: 2, maxContains: 3 },
      [
        [1, 2],
        ['x', 1, 2, 3],
      ],
      [[1], [], [1, 2, 3, 4]],
    ],
    [{ contains: { type: 'number' }, minContains: 0 }, [[]], []],
    [
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [['a', 1, 2], [], ['a']],
      [['a', 'b'], [1]],
    ],
    [{ properties: { a: { type: 'string' } } }, [{ a: 'x' }, {}, []], [{ a: 1 }]],
    [
      {
        patternProperties: { '^x-': { type: 'string' } },
        properties: { b: {} },
        additionalProperties: { type: 'number' },
      },
      [{ 'x-a': 's', b: null, c: 1 }],
      [{ 'x-a': 1 }, { c: 's' }],
    ],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, []], [{}, { a: 1, b: 2, c: 3 }]],
    [{ dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
    [{ dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['x', 3], [1]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 3 }] }, [0, 4], [2]],
    [{ not: { type: 'string' } }, [1], ['x']],
    [{ if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } }, ['ab', 2], ['a', 1]],
    [{ $ref: '#/$defs/a', ...ref }, ['x'], [1]],
    [
      {
        anyOf: [{ properties: { a: true } }, { properties: { b: true }, required: ['b'] }],
        unevaluatedProperties: false,
      },
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: { type: 'string' } }, [[1], [1, 'x']], [[1, 2]]],
    [{ contains: { type: 'number' }, unevaluatedItems: false }, [[1, 2]], [[1, 'x']]],
    [
      { if: { required: ['a'], properties: { a: true } }, unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [{ format: 'email', madeUp: 1, contentEncoding: 'base64' }, ['not an email'], []],
  ];

  it.each(cases)('%j tells what fits from what does not', async (schema, fits, doesNot) => {
    const { check } = await compileUntrustedSchema(schema);
    for (const value of fits) expect(check(value)).toBeUndefined();
    for (const value of doesNot) expect(check(value)).toHaveProperty('problem');
  });
});

describe('a schema in the style of draft-07', () => {
  const dialects = [{ $schema: 'http://json-schema.org/draft-07/schema#' }, {}];

  it.each(dialects)('%j may use definitions, lists of items and dependencies', async dialect => {
    const { check } = await compileUntrustedSchema({
      ...dialect,
      definitions: { name: { type: 'string' } },
      properties: {
        pair: { items: [{ $ref: '#/definitions/name' }, { type: 'number' }], additionalItems: false },
      },
      dependencies: { a: ['b'], c: { required: ['d'] } },
    });
    expect(check({ pair: ['x', 1], a: 1, b: 1 })).toBeUndefined();
    expect(check({ pair: [1] })).toEqual({ problem: 'pair.0: must be string' });
    expect(check({ pair: ['x', 1, 2] })).toEqual({ problem: 'pair.2: is not allowed' });
    expect(check({ a: 1 })).toEqual({ problem: 'must have the property "b"' });
    expect(check({ c: 1 })).toEqual({ problem: 'must have the property "d"' });
  });

  it('has no other keywords beside a reference, if it says that it is draft-07', async () => {
    const schema = { $ref: '#/definitions/a', maximum: 1, definitions: { a: { type: 'number' } } };
    expect(await problemOf(schema, 2)).toBe('must be <= 1');
    expect(await problemOf({ ...dialects[0], ...schema }, 2)).toBeUndefined();
  });
});

describe('a dialect', () => {
  it('that is known is accepted', async () => {
    expect(
      await problemOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, null),
    ).toBe(undefined);
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', 5])(
    '%j is refused by name',
    async $schema => {
      const refusal = await refusalOf({ $schema });
      expect(refusal.reason).toBe('dialect');
      expect(refusal.message).toBe(`schema refused at #/$schema: dialect ${$schema} is not supported`);
    },
  );
});

describe('a reference', () => {
  it('leads to pointers, anchors and ids in the document', async () => {
    const { check } = await compileUntrustedSchema({
      $id: 'https://example.com/root.json',
      properties: {
        pointer: { $ref: '#/$defs/a~1b%25' },
        anchor: { $ref: '#there' },
        id: { $ref: 'other.json' },
        inside: { $ref: 'https://example.com/other.json#/$defs/inner' },
        unusual: { $ref: '#/components/x' },
      },
      components: { x: { type: 'string' } },
      $defs: {
        'a/b%': { type: 'string' },
        b: { $anchor: 'there', type: 'string' },
        c: {
          $id: 'other.json',
          type: 'string',
          $defs: { inner: { $ref: '#/$defs/text' }, text: { type: 'string' } },
        },
      },
    });
    for (const name of ['pointer', 'anchor', 'id', 'inside', 'unusual']) {
      expect(check({ [name]: 'x' })).toBeUndefined();
      expect(check({ [name]: 1 })).toEqual({ problem: `${name}: must be string` });
    }
  });

  it('can be recursive', async () => {
    const tree = {
      type: 'object',
      properties: { children: { items: { $ref: '#' } }, n: { type: 'number' } },
    };
    const { check } = await compileUntrustedSchema(tree);
    expect(check({ n: 1, children: [{ n: 2, children: [] }] })).toBeUndefined();
    expect(check({ children: [{}, { children: [{ n: 'x' }] }] })).toEqual({
      problem: 'children.1.children.0.n: must be number',
    });
  });

  it('that is dynamic leads to the outermost schema of that name', async () => {
    const { check } = await compileUntrustedSchema({
      $id: 'https://example.com/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          properties: { children: { items: { $dynamicRef: '#node' } } },
        },
      },
    });
    expect(check({ children: [{ children: [] }] })).toBeUndefined();
    expect(check({ children: [{ daat: 1 }] })).toEqual({ problem: 'children.0.daat: is not allowed' });
  });

  it.each([
    'https://example.com/a.json',
    'b.json#/x',
    '#/$defs/missing',
    '#missing',
    '#/properties/%zz',
    'urn:x',
    'http://[',
  ])('to %j, which is not in the document, is refused and not fetched', async $ref => {
    const fetch = vi.spyOn(globalThis, 'fetch');
    const refusal = await refusalOf({ properties: { a: { $ref } } });
    expect(refusal.reason).toBe('reference');
    expect(refusal.message).toContain('external references are not followed');
    expect(refusal.place).toBe('#/properties/a/$ref');
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([
    { $ref: '#' },
    {
      anyOf: [{ type: 'string' }, { $ref: '#/$defs/a' }],
      $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
    },
    { $dynamicAnchor: 'x', not: { $dynamicRef: '#x' } },
  ])('that leads to itself on the same value ends: %j', async schema => {
    const { check } = await compileUntrustedSchema(schema);
    for (const value of [1, {}, [[]], undefined])
      expect(() => check(value)).toThrow('refers to itself without end');
  });
});

describe('a malformed schema', () => {
  it.each<[unknown, string, string]>([
    [5, '#', 'must be an object, true or false'],
    [null, '#', 'must be an object, true or false'],
    [{ minimum: '3' }, '#/minimum', 'must be a number'],
    [{ minLength: -1 }, '#/minLength', 'must be a whole number and not negative'],
    [{ multipleOf: 0 }, '#/multipleOf', 'must be more than 0'],
    [{ type: 'strng' }, '#/type', 'must be one or more of the seven types'],
    [{ type: [] }, '#/type', 'must be one or more of the seven types'],
    [{ enum: 'a' }, '#/enum', 'must be an array'],
    [{ required: [1] }, '#/required/0', 'must be a string'],
    [{ properties: [] }, '#/properties', 'must be an object'],
    [
      { properties: { 'a/b': { items: { not: 1 } } } },
      '#/properties/a~1b/items/not',
      'must be an object, true or false',
    ],
    [{ uniqueItems: 1 }, '#/uniqueItems', 'must be true or false'],
    [{ pattern: '(' }, '#/pattern', 'is not a regular expression'],
    [{ patternProperties: { 'a**': {} } }, '#/patternProperties/a**', 'is not a regular expression'],
    [{ $ref: 1 }, '#/$ref', 'must be a string'],
    [{ $anchor: 1 }, '#/$anchor', 'must be a string'],
    [{ $id: 'http://[' }, '#/$id', 'must be a URI'],
  ])('%j is refused at %s', async (schema, place, what) => {
    const refusal = await refusalOf(schema);
    expect(refusal).toMatchObject({ reason: 'malformed', place });
    expect(refusal.message).toBe(`schema refused at ${place}: ${what}`);
  });
});

describe('names that mean something to JavaScript', () => {
  it('are names like others', async () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"additionalProperties":false}',
    );
    expect(await problemOf(schema, JSON.parse('{"__proto__":"x","constructor":1}'))).toBeUndefined();
    expect(await problemOf(schema, JSON.parse('{"__proto__":1}'))).toBe('__proto__: must be string');
    expect(await problemOf(schema, JSON.parse('{"toString":1}'))).toBe('toString: is not allowed');
    expect(await problemOf(schema, {})).toBeUndefined();
  });

  it('are missing if the value does not have them itself', async () => {
    expect(await problemOf({ required: ['toString'] }, {})).toBe('must have the property "toString"');
    expect(await problemOf({ required: ['__proto__'] }, {})).toBe('must have the property "__proto__"');
    expect(await problemOf({ dependentRequired: { constructor: ['a'] } }, {})).toBeUndefined();
  });

  it('can be told apart in comparisons', async () => {
    const value = JSON.parse('[{"__proto__":1},{"__proto__":2},{}]');
    expect(await problemOf({ uniqueItems: true }, value)).toBeUndefined();
    expect(await problemOf({ const: JSON.parse('{"__proto__":1}') }, {})).toBeDefined();
  });

  it('do not resolve as references', async () => {
    expect((await refusalOf({ $ref: '#/__proto__' })).reason).toBe('reference');
    expect((await refusalOf({ $ref: '#/constructor' })).reason).toBe('reference');
  });
});

describe('a pattern', () => {
  it('means what it means in JavaScript', async () => {
    const char = fc.constantFrom(
      'a',
      'b',
      ' ',
      '\n',
      '\u2028',
      '\u00a0',
      '😀',
      'é',
      '-',
      '1',
      '_',
      'K',
      '\u017f',
    );
    const atom = fc.constantFrom(
      ...[
        'a',
        'b',
        '.',
        '\\s',
        '\\S',
        '\\w',
        '\\W',
        '\\d',
        '\\D',
        '\\b',
        '\\B',
        '^',
        '$',
        '😀',
        '\\u{1F600}',
        '\\ud83d\\ude00',
      ],
      ...[
        '[ab]',
        '[^ab]',
        '[\\s\\d]',
        '[^\\S]',
        '[a-c😀]',
        '[\\w-]',
        '[-a]',
        '[\\b]',
        '[]',
        '[^]',
        '\\n',
        '\\x61',
        '\\u00e9',
      ],
      ...[
        '\\p{L}',
        '\\P{Lu}',
        '[\\p{Letter}_]',
        '\\p{Script=Latin}',
        '\\cJ',
        '\\0',
        '\\-',
        '\\.',
        '(?<é>a)',
        '(?:)',
        '-',
        '\\u2028',
      ],
    );
    const { pattern } = fc.letrec<{ pattern: string; term: string }>(tie => ({
      term: fc
        .tuple(
          fc.oneof(
            { weight: 4, arbitrary: atom },
            fc.tuple(tie('pattern')).map(([inner]) => `(${inner})`),
          ),
          fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?'),
        )
        .map(([inner, quantifier]) => inner + quantifier),
      pattern: fc
        .array(fc.array(tie('term'), { maxLength: 4 }), { minLength: 1, maxLength: 3, depthSize: 'small' })
        .map(choices => choices.map(terms => terms.join('')).join('|')),
    }));
    await fc.assert(
      fc.asyncProperty(pattern, fc.array(fc.array(char, { maxLength: 8 })), async (source, texts) => {
        const regExp = tryRegExp(source);
        fc.pre(regExp !== undefined);
        const { check } = await compileUntrustedSchema({ pattern: source });
        for (const text of texts.map(chars => chars.join(''))) {
          expect({ text, fits: check(text) === undefined }).toEqual({ text, fits: regExp!.test(text) });
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });

  it.each([
    ['a lookahead', '^(?=.*\\d).+$'],
    ['a negative lookahead', '(?!z)b'],
    ['a lookbehind', '(?<=a)b'],
    ['a back-reference', '(a)\\1'],
    ['a named back-reference', '(?<x>a)\\k<x>'],
    ['a count above 1,000', 'a{5000}'],
    ['more than 2,000 characters', 'a'.repeat(3_000)],
    ['more than 2,000 places', '(?:a{100}){30}'],
  ])('with %s is not enforced', async (_, pattern) => {
    expect(await problemOf({ pattern }, 'zzz')).toBeUndefined();
    const schema = { patternProperties: { [pattern]: { type: 'string' } }, additionalProperties: false };
    expect(await problemOf(schema, { zzz: 1 })).toBeUndefined();
  });

  it.each(['\\_a\\-', '[\\w-.]a', 'a{', 'a]', '\\/a'])(
    'may be written as before Unicode mode: %s',
    async pattern => {
      const regExp = new RegExp(pattern);
      for (const text of ['_a-', '.a', 'a{', 'a]', '/a', '-a']) {
        expect((await problemOf({ pattern }, text)) === undefined).toBe(regExp.test(text));
      }
    },
  );
});

function tryRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

describe('the verdict', () => {
  const name = fc.constantFrom('a', 'b', 'c', '_d');
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer({ min: -3, max: 5 }),
      fc.constantFrom('', 'a', 'ab', '😀', 1.5, true, false, null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');
  const count = fc.nat({ max: 3 });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });
  const named = <T>(item: fc.Arbitrary<T>) => fc.dictionary(name, item, { maxKeys: 3 });

  // With neither, ajv 8.20 lets an empty array contain what it must.
  const CONTAINS = Object.entries({ minContains: 1, maxContains: 9 });
  const { schema } = fc.letrec<{ schema: unknown; member: unknown }>(tie => {
    // A reference is for members only, so that it never leads to itself on the same value.
    const member = tie('member');
    const same = tie('schema');
    const keywords: [string, fc.Arbitrary<unknown>][] = [
      ['type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))],
      ['enum', fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: item => JSON.stringify(item) })],
      ['const', value],
      ['minimum', count],
      ['exclusiveMaximum', count],
      ['multipleOf', fc.constantFrom(0.5, 1, 2)],
      ['minLength', count],
      ['maxLength', count],
      ['pattern', fc.constantFrom('^a', 'b$', '^.$')],
      ['minItems', count],
      ['maxItems', count],
      ['uniqueItems', fc.boolean()],
      ['contains', member],
      ['minContains', count],
      ['maxContains', count],
      ['prefixItems', some(member)],
      ['items', member],
      ['properties', named(member)],
      ['patternProperties', fc.dictionary(fc.constantFrom('^a', 'b|c', '_'), member, { maxKeys: 2 })],
      ['additionalProperties', member],
      ['propertyNames', same],
      ['required', names],
      ['dependentRequired', named(names)],
      ['dependentSchemas', named(same)],
      ['minProperties', count],
      ['maxProperties', count],
      ['allOf', some(same)],
      ['anyOf', some(same)],
      ['oneOf', some(same)],
      ['not', same],
      ['if', same],
      ['then', same],
      ['else', same],
      ['unevaluatedProperties', member],
      ['unevaluatedItems', member],
    ];
    const keyword = fc.oneof(...keywords.map(([key, operand]) => fc.tuple(fc.constant(key), operand)));
    return {
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.boolean(),
        fc.array(keyword, { maxLength: 5 }).map(entries => Object.fromEntries([...CONTAINS, ...entries])),
      ),
      member: fc.oneof(
        { weight: 5, arbitrary: tie('schema') },
        { weight: 1, arbitrary: fc.constant({ $ref: '#/$defs/a' }) },
      ),
    };
  });

  it('is that of ajv', async () => {
    let fitting = 0;
    let failing = 0;
    await fc.assert(
      fc.asyncProperty(schema, schema, fc.array(value, { minLength: 5 }), async (root, a, values) => {
        const document = JSON.parse(JSON.stringify({ allOf: [root], $defs: { a } }));
        const { check } = await compileUntrustedSchema(document);
        const validate = new Ajv2020({ strict: false, logger: false }).compile(document);
        for (const each of values.map(item => JSON.parse(JSON.stringify(item)))) {
          const fits = check(each) === undefined;
          fits ? fitting++ : failing++;
          expect({ each, fits }).toEqual({ each, fits: validate(each) });
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
    console.log(fitting, failing);
  });
});
