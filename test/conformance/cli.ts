import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleCli } from './bundles.js';

/** What became of a run of the conformance CLI. */
export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the conformance CLI in the root of the repository. */
export async function runCli(args: string[], signal: AbortSignal | undefined): Promise<CliRun> {
  const child = spawn(process.execPath, [await bundleCli(), ...args], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  const run: CliRun = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', chunk => (run.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', chunk => (run.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ ...run, code }));
  });
}

export function cliError(what: string, { stdout, stderr }: CliRun): Error {
  return new Error(`the conformance CLI ${what}\n${stderr.trim() || stdout.trim()}`);
}
