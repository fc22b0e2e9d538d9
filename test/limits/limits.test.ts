import { expect, it } from 'vitest';
import { readProjectFile, rowsOf, SOURCES } from './table.js';

const page = readProjectFile('docs/limits.md');

it.each(Object.entries(SOURCES))('docs/limits.md lists the limits of: %s', async (title, path) => {
  const section = page.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? '';
  // The formatter pads the cells.
  const rows = section
    .split('\n')
    .flatMap(line => (line.startsWith('| `') ? [line.replace(/ +/g, ' ')] : []));
  expect(rows).toEqual(await rowsOf(path));
});
