import { expect, it } from 'vitest';
import { readProjectFile, rowsOf, SOURCES } from './table.js';

const page = readProjectFile('docs/limits.md');

it.each(Object.entries(SOURCES))('docs/limits.md lists the limits of: %s', async (title, path) => {
  const section = page.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? '';
  const rows = section.split('\n').filter(line => line.startsWith('| `'));
  expect(rows).toEqual(await rowsOf(path));
});
