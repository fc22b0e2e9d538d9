import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8'));
const page = await readFile(`${ROOT}/docs/dependencies.md`, 'utf8');

/** The rows of the table under a heading, cell by cell. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find(part => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `(.*) \|$/gm)].map(([row]) =>
    row
      .slice(2, -2)
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')),
  );
}

describe('docs/dependencies.md', () => {
  it('gives a reason for every dependency, and for no other', () => {
    expect(rowsOf('Installed').map(([name]) => name)).toEqual(Object.keys(manifest.dependencies));
  });

  it('lists the optional peers with their ranges', () => {
    const peers = Object.fromEntries(rowsOf('Optional peers').map(([name, range]) => [name, range]));
    expect(peers).toEqual(manifest.peerDependencies);
    const optional = Object.keys(peers).map(name => [name, { optional: true }]);
    expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(optional));
  });
});
