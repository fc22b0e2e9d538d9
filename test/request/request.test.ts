import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { WAYS } from './ways.js';

const page = readFileSync(fileURLToPath(new URL('../../docs/request.md', import.meta.url)), 'utf8');
const script = fileURLToPath(new URL('walk.ts', import.meta.url));

/** The files that a section of the page names. */
function filesIn(title: string): string[] {
  const section = page.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? '';
  return [...new Set(section.match(/[a-z0-9-]+(?:\/[a-z0-9-]+)+\.ts\b/g))].sort();
}

it.each(Object.keys(WAYS))('docs/request.md names every file that is passed by: %s', async title => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, title]);
  const files: string[] = JSON.parse(stdout.split('\n').at(-2) as string);
  expect(files.length).toBeGreaterThan(10);
  expect(filesIn(title)).toEqual(files);
});
