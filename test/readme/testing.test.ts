import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProject } from './programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(`${root}/docs/testing.md`, 'utf8');
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-snippet-'));
  await createProject(folder);
  const blocks = [...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)];
  expect(blocks).toHaveLength(page.match(/^```ts/gm)?.length ?? 0);
  for (const [, name, code] of blocks) await writeFile(`${folder}/${name}`, code as string);
  const exclude = ['node.test.ts', '**/node_modules/**'];
  // One process, one copy of the modules, and much time: this runs beside other tests.
  const test = {
    exclude,
    isolate: false,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  };
  await writeFile(`${folder}/vitest.config.mjs`, `export default ${JSON.stringify({ test })};`);
});

afterAll(() => rm(folder, { recursive: true }));

it('the page on testing shows tests for vitest that pass', async () => {
  const vitest = `${root}/node_modules/vitest/vitest.mjs`;
  const args = ['run', '--root', folder, '--reporter', 'json'];
  const { stdout } = await run(process.execPath, [vitest, ...args]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numTotalTests: 15, numPassedTests: 15 });
});

it('the page on testing shows a test for node:test that passes', async () => {
  const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', `${folder}/node.test.ts`];
  const { stdout } = await run(process.execPath, args);
  expect(stdout).toMatch(/^# pass 5$/m);
});
