import { isCancel } from '@clack/prompts';
import type { Cli } from '../cli.js';

/** What every prompt gets: where it reads and writes, and the signal that ends it. */
export interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** The user pressed Esc. */
export class Left extends Error {
  override readonly name = 'Left';
}

/** Whether a person can be asked: they see standard error, and type into standard input. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Shows one prompt on standard error. Throws `Left` if the user presses Esc, and interrupts the command if it is Ctrl+C.
 */
export async function prompt<T>(
  cli: Cli,
  show: (streams: PromptStreams) => Promise<T>,
  signal: AbortSignal = cli.signal,
): Promise<Exclude<T, symbol>> {
  let wasCtrlC = false;
  const watch = (_text: string, key: { ctrl?: boolean; name?: string }) => {
    wasCtrlC = key.ctrl === true && key.name === 'c';
  };
  process.stdin.on('keypress', watch);
  try {
    const either = AbortSignal.any([signal, cli.signal]);
    const answer = await show({ input: process.stdin, output: process.stderr, signal: either });
    if (!isCancel(answer)) return answer as Exclude<T, symbol>;
    if (wasCtrlC) cli.interrupt();
    either.throwIfAborted();
    throw new Left();
  } finally {
    process.stdin.off('keypress', watch);
  }
}
