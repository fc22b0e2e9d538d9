import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('every file that a decision or CONTRIBUTING.md names is there', async () => {
  const decisions = (await readdir(`${ROOT}/docs/decisions`)).map(name => `docs/decisions/${name}`);
  const missing = await Promise.all([...decisions, 'CONTRIBUTING.md'].map(missingFiles));
  expect(missing.flat()).toEqual([]);
});

async function missingFiles(page: string): Promise<string[]> {
  const text = await readFile(`${ROOT}/${page}`, 'utf8');
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)].map(([, path]) => path as string);
  return named
    .filter(path => path.slice(0, -1).includes('/'))
    .filter(path => !existsSync(`${ROOT}/${path}`) && !existsSync(`${ROOT}/src/${path}`))
    .map(path => `${page}: ${path}`);
}
