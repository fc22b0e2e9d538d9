import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('every cause is explained in docs/doctor.md, and no other', () => {
  const source = readFileSync(new URL('finding.ts', import.meta.url), 'utf8');
  const page = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
  const causes = [...source.matchAll(/^ {2}\| '([\w-]+)'/gm)].map(([, cause]) => cause);
  const explained = [...page.matchAll(/^\| `([a-z][a-z-]+)` +\|/gm)].map(([, cause]) => cause);
  expect(explained.toSorted()).toEqual(causes.toSorted());
});
