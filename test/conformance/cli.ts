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

/** The scenarios for a side, by the version of the specification that they are for, or `extension`. */
export async function listScenarios(
  side: 'client' | 'server',
  signal?: AbortSignal,
): Promise<Record<string, string[]>> {
  const { stdout } = await runCli(['list', `--${side}`], signal);
  const versions: Record<string, string[]> = {};
  for (const [, scenario, list] of stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)) {
    for (const version of list!.split(',')) versions[version] = [...(versions[version] ?? []), scenario!];
  }
  return versions;
}

export function cliError(what: string, { stdout, stderr }: CliRun): Error {
  return new Error(`the conformance CLI ${what}\n${stderr.trim() || stdout.trim()}`);
}
