import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, findNonJson, fingerprint } from './canonical.js';
import { copyJson } from './json.js';

/** A copy whose objects have their keys in another order. */
function shuffled(value: unknown, pick: (length: number) => number): unknown {
  if (Array.isArray(value)) return value.map(item => shuffled(item, pick));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const reordered: [string, unknown][] = [];
  while (entries.length > 0) {
    const [[key, member]] = entries.splice(pick(entries.length), 1) as [[string, unknown]];
    reordered.push([key, shuffled(member, pick)]);
  }
  return Object.fromEntries(reordered);
}

describe('the canonical text', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.infiniteStream(fc.nat()), (value, numbers) => {
        const other = shuffled(value, length => numbers.next().value % length);
        expect(canonicalText(other)).toBe(canonicalText(value));
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isEqual = JSON.stringify(sortedDeep(a)) === JSON.stringify(sortedDeep(b));
        expect(canonicalText(a) === canonicalText(b)).toBe(isEqual);
      }),
    );
    expect(canonicalText([1, 2])).not.toBe(canonicalText([2, 1]));
    expect(canonicalText({ 0: 'a' })).not.toBe(canonicalText(['a']));
    expect(canonicalText('1')).not.toBe(canonicalText(1));
    for (const large of ['1e999', '-1e999']) {
      expect(canonicalText(JSON.parse(large))).not.toBe(canonicalText(null));
    }
    expect(canonicalText({ a: { b: 1 } })).not.toBe(canonicalText({ a: {}, b: 1 }));
  });

  it('keeps names that mean something to JavaScript', () => {
    const value = JSON.parse('{"__proto__":{"b":1,"a":2},"constructor":1,"10":1,"9":2}');
    expect(JSON.parse(canonicalText(value))).toEqual(value);
    expect(canonicalText(value)).toContain('"__proto__":{"a":2,"b":1}');
    expect(canonicalText(JSON.parse('{"9":2,"10":1}'))).toBe(canonicalText(JSON.parse('{"10":1,"9":2}')));
  });

  it('leaves the value as it is', () => {
    const value = { b: 1, a: { d: 1, c: 2 } };
    canonicalText(value);
    expect(JSON.stringify(value)).toBe('{"b":1,"a":{"d":1,"c":2}}');
  });
});

/** An independent way to the same: keys in order, by another algorithm. */
function sortedDeep(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sortedDeep)];
  if (typeof value !== 'object' || value === null) return JSON.parse(JSON.stringify(value));
  const keys = Object.keys(value).sort();
  return ['object', ...keys.map(key => [key, sortedDeep((value as Record<string, unknown>)[key])])];
}

describe('a fingerprint', () => {
  it('is short, and the same for the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(fingerprint(text)).toBe(fingerprint(text));
        expect(fingerprint(text)).toMatch(/^[\da-z]{2,14}$/);
      }),
    );
  });

  it('tells 200,000 similar texts apart', () => {
    const seen = new Set<string>();
    for (let n = 0; n < 100_000; n++) {
      seen.add(fingerprint(`{"method":"elicitation/create","params":{"message":"Table ${n}?"}}`));
      seen.add(fingerprint(`${n}`));
    }
    expect(seen.size).toBe(200_000);
  });

  it('tells texts apart that differ by a character, or by the place of one', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (text, at, char) => {
          const place = at % text.length;
          const other = text.slice(0, place) + char + text.slice(place + 1);
          expect(fingerprint(other) === fingerprint(text)).toBe(other === text);
          const swapped = text.slice(1) + text[0];
          expect(fingerprint(swapped) === fingerprint(text)).toBe(swapped === text);
        },
      ),
    );
  });
});

describe('what JSON cannot carry', () => {
  it('is nothing in a value that came from JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(findNonJson(JSON.parse(JSON.stringify(value)))).toBeUndefined();
      }),
    );
  });

  it('is found wherever JSON would change the value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
        value => {
          if (findNonJson(value) !== undefined) return;
          // Members that are undefined are left out by JSON, and -0 becomes 0; everything else is the same.
          expect(JSON.parse(JSON.stringify(value))).toEqual(withoutMinusZero(value));
        },
      ),
    );
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'the value is undefined'],
    ['a Date inside', { a: [{ b: new Date() }] }, 'the value.a[0].b is a Date'],
    ['a number that is none', [Number.NaN], 'the value[0] is NaN'],
    ['a symbol', Symbol.iterator, 'the value is a symbol'],
    ['an object of a class', new (class Order {})(), 'the value is a Order'],
    ['an object without a constructor', Object.create(Object.create(null)), 'the value is a special object'],
  ])('%s', (_, value, problem) => {
    expect(findNonJson(value)).toBe(problem);
  });

  it('is a value that contains itself, but not one that comes twice', () => {
    const twice = { a: 1 };
    expect(findNonJson([twice, { twice }])).toBeUndefined();
    const self: unknown[] = [];
    self.push([self]);
    expect(findNonJson(self)).toBe('the value[0][0] is a circular reference');
  });

  it('is a value nested too deeply to be written, without a stack overflow', () => {
    const nest = (levels: number) => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level++) value = { value };
      return value;
    };
    expect(findNonJson(nest(250))).toBeUndefined();
    expect(findNonJson(nest(100_000))).toBe('it is nested more than 256 levels deep');
  });

  it('is not a member that is left out, nor an object without a prototype', () => {
    expect(findNonJson({ a: undefined })).toBeUndefined();
    expect(findNonJson(Object.assign(Object.create(null), { a: 1 }))).toBeUndefined();
  });
});

function withoutMinusZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutMinusZero(member)]));
}

describe('a copy', () => {
  it('is equal, and shares nothing', () => {
    const value = { a: [{ b: 1 }] };
    const copy = copyJson(value);
    expect(copy).toEqual(value);
    copy.a[0]!.b = 2;
    expect(value.a[0]?.b).toBe(1);
    expect(copyJson(undefined)).toBeUndefined();
  });
});
