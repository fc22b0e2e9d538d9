import { expect, it } from 'vitest';
import { readSources } from './sources.js';

it('only base/url.ts asks whether a text is a URL, because URL.canParse may say yes where new URL throws', () => {
  const users = readSources().filter(({ text }) => text.includes('canParse'));
  expect(users.map(({ path }) => path)).toEqual(['src/base/url.ts']);
});
