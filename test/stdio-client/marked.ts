import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { SpawnOptions } from '../../src/node/client/process/spawn.js';

let last = 0;

/**
 * A command whose processes, and all that they start, can be found by a mark in their environment. Whatever a failed
 * test leaves of them is killed.
 */
export function marked(command: SpawnOptions): { command: SpawnOptions; mark: string } {
  const mark = `TENON_TEST_MARK=${process.pid}.${++last}.`;
  onTestFinished(() => killAllWith(mark));
  const [name, value] = mark.split('=') as [string, string];
  return { command: { ...command, env: { ...command.env, [name]: value } }, mark };
}

/** The ids of the processes with a mark. Those that have ended have none. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number);
}

/** Kills the processes with a mark, and those that they start meanwhile. */
async function killAllWith(mark: string): Promise<void> {
  for (let pids = processesWith(mark); pids.length > 0; pids = processesWith(mark)) {
    for (const pid of pids) killIfAlive(pid);
    await nextTurn();
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until no process with a mark is left. */
export async function expectNoneWith(mark: string, timeout = 30_000): Promise<void> {
  await expect.poll(() => processesWith(mark), { timeout, interval: 20 }).toEqual([]);
}

export function isAlive(pid: number): boolean {
  return environmentOf(String(pid)) !== '';
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
