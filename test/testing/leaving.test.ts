import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program } from '../programs/program.js';

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

it('clients of tests that nobody closes do not keep the process alive', async () => {
  const path = fileURLToPath(new URL('./fixtures/forgetful.ts', import.meta.url));
  const args = [program(path), ...REVISIONS];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  expect(stdout.trim().split('\n')).toEqual(REVISIONS.map(revision => `${revision} 1`));
});
