import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { program } from '../../programs/program.js';

/** Starts a program of the folder `fixtures`. */
export function startFixture(
  name: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  return spawn(process.execPath, [program(fixturePath(name)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
}

/** Runs a program of the folder `fixtures` to its end. Resolves with what it printed. */
export async function runFixture(
  name: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<string> {
  return outputOf(startFixture(name, args, options));
}

export async function outputOf(child: ChildProcess): Promise<string> {
  const [output, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  if (code !== 0) throw new Error(`it ended with ${code ?? child.signalCode}: ${output}`);
  return output;
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}
