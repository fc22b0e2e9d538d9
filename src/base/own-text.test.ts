import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownText } from './own-text.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many megabytes stay while the ends of long texts are kept. */
function heldBy(keep: (end: string) => string): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 100 }, () =>
    keep(Buffer.alloc(500_000, 'x').toString('latin1').slice(-24)),
  );
  collectGarbage();
  const held = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  expect(kept).toHaveLength(100);
  return held;
}

it('is the same text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => ownText(text) === text));
});

it('does not keep the longer text that it was cut from, as texts do otherwise', () => {
  expect(heldBy(ownText)).toBeLessThan(10);
  expect(heldBy(end => end)).toBeGreaterThan(30);
});
