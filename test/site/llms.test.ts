import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeLlms } from '../../site/llms.js';
import { ROOT } from '../../site/pages.js';

// If this fails after a change of a page: npm run docs:llms.
it.each([...writeLlms()])('%s is as the pages are', (path, text) => {
  expect(readFileSync(`${ROOT}/${path}`, 'utf8') === text, `${path} is stale; run npm run docs:llms`).toBe(
    true,
  );
});

it('llms.txt lists every page of docs/ and of the reference', () => {
  const list = writeLlms().get('llms.txt') as string;
  const pages = ['docs', 'docs/reference'].flatMap(folder =>
    readdirSync(`${ROOT}/${folder}`)
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name}`),
  );
  expect(pages.filter(path => !list.includes(`](${path})`))).toEqual([]);
});
