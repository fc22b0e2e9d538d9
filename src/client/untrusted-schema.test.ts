import { describe, expect, it } from 'vitest';
import { SchemaRefused } from '../json-schema/validator.js';
import { compileUntrustedSchema } from './untrusted-schema.js';

describe('a hostile server', () => {
  const MEGABYTE = 2 ** 20;

  /** Reads a schema and checks a value. Neither may take long, whatever else happens. */
  async function attack(schema: unknown, value: unknown): Promise<string> {
    const started = process.cpuUsage();
    try {
      const { check } = await compileUntrustedSchema(schema);
      return check(value)?.problem ?? 'fits';
    } catch (error) {
      if (error instanceof SchemaRefused) return error.reason;
      throw error;
    } finally {
      // Work, not time, because others may be at work, too; it is a small part of this.
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
    }
  }

  function nest(levels: number, wrap: (inner: unknown) => unknown, core: unknown = {}): unknown {
    let nested = core;
    for (let level = 0; level < levels; level++) nested = wrap(nested);
    return nested;
  }

  const listOf = <T>(length: number, make: (index: number) => T): T[] =>
    Array.from({ length }, (_, at) => make(at));
  const objectOf = (size: number, make: (index: number) => unknown) =>
    Object.fromEntries(listOf(size, at => [`k${at}`, make(at)]));

  it.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '(?:a?){900}b', '[ab]*a[ab]{900}c', '(.*)(.*)(.*)(.*)[^a]'])(
    'cannot block with the pattern %s',
    async pattern => {
      for (const length of [100, 10_000, MEGABYTE]) await attack({ pattern }, `${'a'.repeat(length)}!`);
      expect(await attack({ pattern }, 'a'.repeat(MEGABYTE))).toBe('too-complex');
    },
  );

  it('cannot block with a pattern and many strings', async () => {
    const pattern = '[ab]*a[ab]{100}c';
    const strings = listOf(20_000, at => at.toString(2).replaceAll('0', 'a').replaceAll('1', 'b').repeat(10));
    expect(await attack({ items: { not: { pattern } } }, strings)).toBe('too-complex');
    expect(await attack({ items: { not: { pattern: '^[ab]{1,900}$' } } }, strings)).toMatch('must not fit');
    await attack(
      { patternProperties: { [pattern]: {} } },
      objectOf(20_000, () => 1),
    );
    await attack(
      { items: { pattern: '^\\p{L}$' } },
      listOf(50_000, at => String.fromCharCode(at)),
    );
  });

  it('cannot block with large patterns', async () => {
    const large = [
      '\\p{L}'.repeat(390),
      `[${'\\p{L}'.repeat(390)}]`,
      '(?:[\\p{L}\\p{N}]?){190}',
      'a|'.repeat(900),
    ];
    for (const pattern of large) await attack({ pattern }, 'x');
    for (const pattern of large) await attack({ allOf: listOf(300, at => ({ pattern: pattern + at })) }, 'x');
  });

  it('cannot overflow the stack', async () => {
    const tree = { items: { $ref: '#' }, additionalProperties: { $ref: '#' } };
    expect(
      await attack(
        nest(10_000, items => ({ items })),
        [],
      ),
    ).toBe('too-complex');
    expect(
      await attack(
        nest(10_000, not => ({ not })),
        [],
      ),
    ).toBe('too-complex');
    expect(
      await attack(
        tree,
        nest(10_000, inner => [inner]),
      ),
    ).toBe('too-complex');
    expect(
      await attack(
        tree,
        nest(10_000, inner => ({ inner })),
      ),
    ).toBe('too-complex');
    expect(await attack({ uniqueItems: true }, [nest(10_000, inner => [inner])])).toBe('too-complex');
    expect(await attack({ const: nest(10_000, inner => ({ inner })) }, 1)).toBe('too-complex');
    expect(
      await attack(
        tree,
        nest(250, inner => [inner]),
      ),
    ).toBe('fits');
  });

  it.each(['anyOf', 'allOf', 'oneOf'])(
    'cannot make checks explode with %s of the same schema twice',
    async keyword => {
      const twice = (at: number) => ({
        [keyword]: [{ $ref: `#/$defs/k${at + 1}` }, { $ref: `#/$defs/k${at + 1}` }],
      });
      const $defs = { ...objectOf(200, twice), k200: { type: keyword === 'allOf' ? 'number' : 'string' } };
      expect(await attack({ $ref: '#/$defs/k0', $defs }, 1)).toBe('too-complex');
      expect(await attack({ $ref: '#/$defs/k0', $defs, unevaluatedItems: false }, [1])).toMatch('');
    },
  );

  // covers: 2026-07-28/basic/schemas-are-bounded
  it('cannot send too many subschemas', async () => {
    expect(await attack({ anyOf: listOf(60_000, () => ({ anyOf: [{ type: 'string' }, true] })) }, 1)).toBe(
      'too-complex',
    );
    expect(await attack({ properties: objectOf(200_000, () => true) }, {})).toBe('too-complex');
    expect(
      await attack(
        { items: { anyOf: listOf(9_000, () => false) } },
        listOf(10_000, () => 1),
      ),
    ).toMatch('0 must fit');
    expect(
      await attack(
        { items: { not: { anyOf: listOf(9_000, () => false) } } },
        listOf(10_000, () => 1),
      ),
    ).toBe('too-complex');
  });

  it('cannot block with comparisons', async () => {
    const long = 'x'.repeat(MEGABYTE);
    await attack(
      { uniqueItems: true },
      listOf(100_000, at => ({ id: at, name: `n${at}` })),
    );
    await attack(
      { uniqueItems: true },
      listOf(4, at => ({ [long]: at })),
    );
    await attack(
      { uniqueItems: true },
      listOf(1_000_000, at => at),
    );
    await attack({ uniqueItems: true }, [objectOf(100_000, at => at)]);
    await attack(
      { items: { const: long } },
      listOf(1_000, () => long),
    );
    await attack(
      { items: { enum: [objectOf(1_000, at => at)] } },
      Array(1_000).fill(objectOf(1_000, at => at)),
    );
    expect(await attack({ enum: listOf(400_000, at => `v${at}`) }, 'v1')).toBe('too-complex');
    expect(await attack({ enum: listOf(50_000, at => `v${at}`) }, 'v49999')).toBe('fits');
    expect(
      await attack(
        { uniqueItems: true },
        listOf(5_000, at => ({ id: at })),
      ),
    ).toBe('fits');
  });

  it('cannot block with long lists and numbers', async () => {
    const many = Array(1_000_000).fill(1);
    await attack({ items: { type: 'integer' }, contains: { type: 'string' } }, many);
    await attack({ items: { required: listOf(10_000, at => `k${at}`) } }, Array(100_000).fill({ k0: 1 }));
    await attack(
      { items: { multipleOf: 1e-300 } },
      listOf(100_000, () => 1.1e300),
    );
    await attack(
      { additionalProperties: { propertyNames: {} } },
      objectOf(100_000, () => ({})),
    );
    await attack({ allOf: listOf(1_000, () => ({ contains: true })), unevaluatedItems: false }, many);
    await attack({ $defs: objectOf(4_000, at => ({ $id: `${at}`, $ref: `${at}#` })) }, 1);
  });
});

describe('an ordinary server', () => {
  it('may send thousands of rows', async () => {
    const { check } = await compileUntrustedSchema({
      type: 'object',
      required: ['rows'],
      properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } } },
      additionalProperties: false,
      $defs: {
        row: {
          type: 'object',
          required: ['id', 'at', 'total'],
          properties: {
            id: {
              type: 'string',
              pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
            },
            at: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?Z$' },
            total: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] },
            tags: { type: 'array', items: { type: 'string', maxLength: 20 }, uniqueItems: true },
          },
          additionalProperties: false,
        },
      },
    });
    const row = (at: number) => ({
      id: `0000000${at % 10}-0000-4000-8000-000000000000`,
      at: new Date(at * 1e6).toISOString(),
      total: at % 2 ? at : null,
      tags: ['a', 'b'],
    });
    const rows = Array.from({ length: 2_000 }, (_, at) => row(at));
    expect(check({ rows })).toBeUndefined();
    expect(check({ rows: [...rows, { ...row(1), at: 'now' }] })?.problem).toMatch(
      'rows.2000.at must match the pattern',
    );
  });
});
