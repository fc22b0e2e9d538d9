import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../protocol/failures.js';
import { JsonExcess, type Portions, parsePatiently } from './patient-json.js';

const NO_LIMITS = { depth: Infinity, containers: Infinity, names: Infinity };
const PORTIONS: Portions[] = [
  { turn: 1, run: 1 },
  { turn: 1, run: 2 },
  { turn: 7, run: 3 },
];

async function expectSame(text: string): Promise<void> {
  for (const portions of PORTIONS) {
    const patient = await outcome(() => parsePatiently(text, NO_LIMITS, undefined, portions));
    const native = await outcome(() => JSON.parse(text));
    // Not `toStrictEqual`, which is misled by a name such as `constructor`.
    if (!isDeepStrictEqual(patient, native)) expect(patient).toStrictEqual(native);
    // The order of names, and those that are own although they look like inherited ones.
    if ('value' in native) expect(JSON.stringify(patient)).toBe(JSON.stringify(native));
  }
}

async function outcome(parse: () => unknown): Promise<{ value: unknown } | { error: string }> {
  try {
    return { value: await parse() };
  } catch (error) {
    return { error: (error as Error).name };
  }
}

/** Texts of the pieces that JSON is made of, in any order: most are invalid, and many nearly valid. */
const soup = fc
  .array(
    fc.constantFrom(
      ...[
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        ' ',
        '\n',
        '\u00a0',
        '"',
        '\\',
        'x',
        '0',
        '-0',
        '1e400',
        '01',
        'true',
      ],
      ...[
        'null',
        '""',
        '"a"',
        '"a":',
        '"__proto__":',
        '"1":',
        '"\\""',
        '"\\\\"',
        '"\\ud800"',
        '"\t"',
        '[]',
        '{}',
      ],
    ),
    { maxLength: 14 },
  )
  .map(pieces => pieces.join(''));

describe('parsePatiently', () => {
  it('makes the same of every valid text as JSON.parse', async () => {
    await fc.assert(fc.asyncProperty(fc.json(), expectSame), { numRuns: 500 });
  });

  it('makes the same of texts that may be invalid', async () => {
    await fc.assert(fc.asyncProperty(soup, expectSame), { numRuns: 3000 });
  });

  it('makes the same of valid texts with a mistake', async () => {
    const mistakes = fc.constantFrom(...'[]{},:"\\ 1x');
    const broken = fc.tuple(fc.json(), fc.nat(), mistakes).map(([text, n, char]) => {
      const at = n % (text.length + 1);
      return text.slice(0, at) + char + text.slice(at + (n % 2));
    });
    await fc.assert(fc.asyncProperty(broken, expectSame), { numRuns: 1000 });
  });

  it.each([
    '{"a":1,"a":2,"b":3,"a":4}',
    '{"2":1,"1":2,"__proto__":{"x":1},"constructor":[1,[2,{"a":[3,4]}]]}',
    '[[1,2],{"a":[1,2]}[3]]',
    '{"a":1[1,2]}',
    '[1,2,]',
    '[1,,2]',
    '[{"a":1,"b":2]]',
    '[1,2][1,2]',
    '[1,2],',
    `["${'\\"'.repeat(100)}","${'\\\\'.repeat(100)}",1]`,
    `["${'x'.repeat(200)}\\","y"]`,
  ])('agrees on %s', expectSame);

  it('takes what is small at once, and what is large in turns', async () => {
    expect(parsePatiently(`[${'1,'.repeat(1000)}1]`, NO_LIMITS)).toHaveLength(1001);
    expect(parsePatiently(`"${'x'.repeat(5_000_000)}"`, NO_LIMITS)).toHaveLength(5_000_000);
    const large = parsePatiently(`[${'1,'.repeat(100_000)}1]`, NO_LIMITS);
    expect(large).toBeInstanceOf(Promise);
    expect(await large).toHaveLength(100_001);
  });

  it('refuses what is nested too deep, or has too much in it', async () => {
    const refused = (text: string, limits: object) =>
      expect((async () => parsePatiently(text, { ...NO_LIMITS, ...limits }))()).rejects.toThrow(JsonExcess);
    await refused('['.repeat(2000), { depth: 1000 });
    await refused(`[${'{},'.repeat(2000)}{}]`, { containers: 1000 });
    const names = Array.from({ length: 5000 }, (_, n) => `"${n}":0`);
    await refused(`{${names.join()}}`, { names: 1000 });
  });

  it('stops when it is given up', async () => {
    let turns = 0;
    const parsing = parsePatiently(`[${'1,'.repeat(1_000_000)}1]`, NO_LIMITS, () => ++turns > 2);
    await expect(parsing).rejects.toThrow(ConnectionError);
    expect(turns).toBe(3);
  });
});
