import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quote } from './shell.js';

it('quotes any word so that a shell passes it on unchanged', () => {
  const words = fc.sample(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...`'"\`$\\!*?~#&;|<>(){}[] \n\t-a`) }),
    ),
    { numRuns: 300, seed: 7 },
  );
  const usable = words.filter(word => !word.includes('\0'));
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${usable.map(quote).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(printed.split('\0').slice(0, -1)).toEqual(usable);
});
