import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from './lines.js';

/** The lines of some bytes that arrive in these chunks; a line that is too long is undefined. */
function split(chunks: readonly Buffer[], maxBytes = 1000): (string | undefined)[] {
  const lines: (string | undefined)[] = [];
  const splitter = new LineSplitter({
    maxBytes,
    onLine: line => void lines.push(line.toString('latin1')),
    onOverflow: () => lines.push(undefined),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

describe('LineSplitter', () => {
  test('finds the same lines however the bytes are cut', () => {
    const bytes = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', 'é'), maxLength: 60 });
    const cuts = fc.array(fc.nat(60), { maxLength: 10 });
    fc.assert(
      fc.property(bytes, cuts, (text, at) => {
        const all = Buffer.from(text, 'latin1');
        const places = [0, ...at.filter(place => place <= all.length).sort((a, b) => a - b), all.length];
        const chunks = places.slice(1).map((end, index) => all.subarray(places[index], end));
        expect(split(chunks)).toEqual(
          all
            .toString('latin1')
            .split('\n')
            .filter(line => line !== ''),
        );
      }),
      { numRuns: 5000, seed: 1 },
    );
  });

  test('lets a line have exactly the allowed length, and tells once of a longer one', () => {
    const line = (length: number) => 'x'.repeat(length);
    const bytes = Buffer.from([line(10), line(11), line(10), line(100), line(1)].join('\n'));
    for (const size of [1, 3, 10, 11, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(split(chunks, 10)).toEqual([line(10), undefined, line(10), undefined, line(1)]);
    }
  });

  test('reads what comes after the end of a long line in the same chunk', () => {
    expect(split([Buffer.from('xxxx'), Buffer.from('xx\nab\ncd')], 3)).toEqual([undefined, 'ab', 'cd']);
  });

  test('takes what is left at the end for a line, unless it is empty or too long', () => {
    expect(split([Buffer.from('a\nb')])).toEqual(['a', 'b']);
    expect(split([Buffer.from('a\n')])).toEqual(['a']);
    expect(split([])).toEqual([]);
    expect(split([Buffer.from('xxxx')], 3)).toEqual([undefined]);
  });

  test('keeps a line that arrives in very many pieces', () => {
    const text = Array.from({ length: 10_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
    const pieces = [...text].map(char => Buffer.from(char));
    expect(split([...pieces, Buffer.from('\nnext')], 10_000)).toEqual([text, 'next']);
  });
});
