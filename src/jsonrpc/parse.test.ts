import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR, McpError } from '../protocol/errors.js';
import { MAX_DEPTH } from './limits.js';
import { parseText } from './parse.js';
import { ENVELOPE_DEPTH } from './repeated-names.js';

const SEED = 20260728;

/** What may be wrong with a text. */
const CODES: ReadonlySet<number> = new Set([ERROR.parse, ERROR.invalidRequest]);

function parsed(text: string): unknown {
  return parseText(text).value;
}

/** What a function throws; undefined if it does not. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

describe('parseText', () => {
  test('accepts what is nested as deep as allowed, and no deeper', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
      for (const depth of [1, 2, MAX_DEPTH - 1, MAX_DEPTH]) {
        expect(JSON.stringify(parsed(nested(depth)))).toBe(nested(depth));
      }
      for (const depth of [MAX_DEPTH + 1, MAX_DEPTH * 2, 1_000_000]) {
        expect(thrownBy(() => parsed(nested(depth)))).toMatchObject({ code: ERROR.invalidRequest });
      }
    }
  });

  test('counts levels, not brackets', () => {
    const wide = `[${Array.from({ length: 10_000 }, () => '[{"a":[]}]').join(',')}]`;
    expect(parsed(wide)).toHaveLength(10_000);
    const quoted = JSON.stringify(`${'['.repeat(1000)}"\\${'{'.repeat(1000)}\\\\"`);
    expect(parsed(quoted)).toBe(JSON.parse(quoted));
  });

  test('counts levels between texts of any kind', () => {
    const anyText = fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a'), maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 100 }),
    );
    const depths = fc.integer({ min: MAX_DEPTH - 2, max: MAX_DEPTH + 2 });
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 20 }), depths, (texts, depth) => {
        let nested: unknown = [];
        for (let level = 1; level < depth; level++) nested = [texts[level], nested, texts[level + 1] ?? 0];
        const text = JSON.stringify(nested);
        const thrown = thrownBy(() => expect(JSON.stringify(parsed(text))).toBe(text));
        return depth <= MAX_DEPTH
          ? thrown === undefined
          : thrown instanceof McpError && thrown.code === ERROR.invalidRequest;
      }),
      { numRuns: 500, seed: SEED },
    );
  });

  test('throws nothing but errors for the peer, whatever the text is', () => {
    const fragments = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        '\\',
        ':',
        ',',
        '1',
        '-',
        'e',
        'null',
        ' ',
        '\n',
        '\u0000',
        'a',
        '\ud800',
      ),
      { maxLength: 40 },
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fragments.map(parts => parts.join('')),
      fc.json(),
    );
    // Short texts are not looked through before they are parsed, long ones are.
    const padding = fc.constantFrom(
      '',
      ' '.repeat(600),
      `"${'x'.repeat(600)}",`,
      `["${'\\\\'.repeat(300)}",`,
    );
    fc.assert(
      fc.property(padding, texts, (before, after) => {
        const text = before + after;
        const thrown = thrownBy(() => parsed(text));
        if (thrown === undefined) return thrownBy(() => JSON.parse(text)) === undefined;
        return thrown instanceof McpError && CODES.has(thrown.code);
      }),
      { numRuns: 30_000, seed: SEED },
    );
  });

  test('agrees with JSON.parse on all JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', ' '.repeat(600)), (json, padding) => {
        const text = json + padding;
        return JSON.stringify(parsed(text)) === JSON.stringify(JSON.parse(text));
      }),
      { numRuns: 5000, seed: SEED },
    );
  });

  test('finds the names that an object of the outer levels repeats, and no others', () => {
    const name = fc.constantFrom(
      'a',
      'b',
      '',
      ':',
      '"',
      '\\',
      '"a":',
      'é',
      '\u2028',
      '__proto__',
      'toString',
    );
    const space = fc.constantFrom('', ' ', '\n\t\r ');
    const { value: json } = fc.letrec<{ value: Written; array: Written; object: Written }>(tie => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        fc.constantFrom('1', 'null', '"x:\\":\\"y"', '[]', '{}').map(leaf),
        tie('object'),
        tie('array'),
      ),
      array: fc.array(tie('value'), { maxLength: 3 }).map(items => ({
        text: `[${items.map(({ text }) => text).join(',')}]`,
        repeatsAt: 1 + Math.min(...items.map(({ repeatsAt }) => repeatsAt)),
      })),
      object: fc.array(fc.tuple(name, fc.boolean(), space, tie('value')), { maxLength: 4 }).map(members => ({
        text: `{${members.map(([key, escaped, gap, { text }]) => `${gap}${nameText(key, escaped)}${gap}:${text}`).join(',')}}`,
        repeatsAt:
          new Set(members.map(([key]) => key)).size < members.length
            ? 1
            : 1 + Math.min(...members.map(([, , , { repeatsAt }]) => repeatsAt)),
      })),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom('', ' '.repeat(600)), ({ text, repeatsAt }, padding) => {
        const { value, repeatedName } = parseText(text + padding);
        expect(value).toEqual(JSON.parse(text));
        return (repeatedName !== undefined) === repeatsAt <= ENVELOPE_DEPTH;
      }),
      { numRuns: 20_000, seed: SEED },
    );
  });
});

/** A JSON text, and the outermost level of it that repeats a name. */
interface Written {
  text: string;
  repeatsAt: number;
}

function leaf(text: string): Written {
  return { text, repeatsAt: Number.POSITIVE_INFINITY };
}

/** A name as JSON, plain or with every character escaped. */
function nameText(name: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(name);
  const units = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at));
  return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}
