import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a runtime is started: its command, and the arguments before the file that it runs. */
export type Runtime = readonly [command: string, ...args: string[]];

const cleanups: (() => Promise<void>)[] = [];

// Here, because vitest takes no `afterAll` from inside of a test or hook.
afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

/** Calls back when the tests of the file are over, the latest first. */
export function afterTests(clean: () => Promise<void>): void {
  cleanups.push(clean);
}

/** The Node that runs the tests. */
export const THIS_NODE: Runtime = [process.execPath, '--import', 'tsx'];

/** The path of a fixture. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** Starts a program that serves, until the tests of the file are over. Returns the first URL on loopback that it prints. */
export function startServer(
  [command, ...args]: Runtime,
  file: string,
  env: Record<string, string> = {},
  ...more: string[]
): Promise<string> {
  const child = spawn(command, [...args, file, ...more], {
    cwd: ROOT,
    env: { ...process.env, ...QUIET, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTests(child);
  let printed = '';
  return new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', chunk => {
        printed += chunk;
        const url = /http:\/\/127\.0\.0\.1:\d+(\/mcp)?(?=[\s,])/.exec(printed)?.[0];
        if (url !== undefined) resolve(url);
      });
    }
    child.on('exit', () => reject(new Error(`${file} ended without a URL:\n${printed}`)));
  });
}

/** Runs a program to its end. Returns the text that it prints. */
export async function runProgram(
  [command, ...args]: Runtime,
  file: string,
  ...more: string[]
): Promise<string> {
  const child = spawn(command, [...args, file, ...more], {
    cwd: ROOT,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTests(child);
  const exited = once(child, 'close');
  const [stdout, stderr] = await Promise.all(
    [child.stdout, child.stderr].map(output => output.setEncoding('utf8').toArray()),
  );
  const [code] = await exited;
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${stdout?.join('')}${stderr?.join('')}`);
  return stdout?.join('') ?? '';
}

/** Kills a process when the tests of the file are over. */
export function endWithTests(child: ChildProcess): void {
  const exited = once(child, 'exit');
  afterTests(async () => {
    child.kill('SIGKILL');
    await exited;
  });
}

/** Runtimes ask nobody for newer versions, and tell nobody about themselves. */
const QUIET = { DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' };
