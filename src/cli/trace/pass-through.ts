import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command as Program } from 'tenon/client';
import { EXIT } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { LineTap } from './line-tap.js';
import { readMessages } from './read-messages.js';
import type { Tracer } from './tracer.js';

/** How long a program may take to end after SIGTERM. */
const GRACE_MS = 1500;
/** How long its output is read after its end; a process that it left behind may hold it open. */
const DRAIN_MS = 1000;
/** How long to wait for processes that were killed. */
const KILL_MS = 500;
const POLL_MS = 25;

/**
 * Runs a program in this process's place: input and output pass unchanged, standard error is its own. Returns its exit
 * code. When the signal aborts, the program is ended.
 */
export async function passThrough(program: Program, tracer: Tracer, signal: AbortSignal): Promise<number> {
  const child = await start(program);
  const killAll = () => void killGroup(child, 'SIGKILL');
  process.on('exit', killAll);
  const stop = () => {
    killGroup(child, 'SIGTERM');
    setTimeout(killAll, GRACE_MS).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  connectPipes(child, tracer);
  const code = await ended(child);
  await endGroup(child);
  process.off('exit', killAll);
  const end = `the program ended with ${child.signalCode ?? `code ${code}`}`;
  tracer.tell({ from: 'server', end, ...(code !== 0 && { failed: true }) });
  signal.throwIfAborted();
  return code;
}

/** It leads a group of its own, so that the programs that it starts can be ended with it. */
async function start({ command, args = [], env, cwd }: Program): Promise<ChildProcess> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    windowsHide: true,
    detached: process.platform !== 'win32',
    ...(cwd !== undefined && { cwd }),
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(
      `cannot start "${command}": ${isMissing ? 'no such command' : (cause as Error).message}`,
      {
        next: 'Check that it is installed and on PATH, or give its whole path.',
        exitCode: EXIT.cannotConnect,
        kind: 'cannot-connect',
        cause,
      },
    );
  }
  return child;
}

function connectPipes({ stdin, stdout }: ChildProcess, tracer: Tracer): void {
  if (!stdin || !stdout) return;
  const sent = new LineTap(line => {
    for (const found of readMessages(line)) tracer.tell({ from: 'client', ...found });
  });
  const received = new LineTap(line => {
    for (const found of readMessages(line)) tracer.tell({ from: 'server', ...found });
  });
  // A program that has ended takes nothing more; its exit code tells the host.
  stdin.on('error', () => {});
  process.stdin.on('data', chunk => sent.push(chunk)).on('end', () => sent.end());
  process.stdin.pipe(stdin);
  stdout.on('data', chunk => received.push(chunk)).on('end', () => received.end());
  stdout.pipe(process.stdout, { end: false });
}

async function ended(child: ChildProcess): Promise<number> {
  const closed = once(child, 'close');
  const [code, name] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
  // As a shell does for a program that a signal has ended.
  return code ?? 128 + (name ? constants.signals[name] : 0);
}

/** Ends what the program has left running. */
async function endGroup(child: ChildProcess): Promise<void> {
  killGroup(child, 'SIGKILL');
  for (let waited = 0; killGroup(child, 0) && waited < KILL_MS; waited += POLL_MS) await pause(POLL_MS);
}

/** Returns whether there is a process of the group. */
function killGroup(child: ChildProcess, name: NodeJS.Signals | 0): boolean {
  try {
    if (process.platform === 'win32') return child.kill(name);
    return child.pid !== undefined && process.kill(-child.pid, name);
  } catch {
    return false;
  }
}
