import type { Output } from './terminal/output.js';

/** What every command gets: the program after `--`, the signal that interrupts it, and where it writes. */
export class Cli {
  /** The program after `--` and its arguments, if there is one. */
  readonly program: readonly string[] | undefined;
  /** Aborts when the user presses Ctrl+C. */
  readonly signal: AbortSignal;
  readonly output: Output;
  /** The exit code of a command that ends without an error. */
  exitCode = 0;

  constructor(program: readonly string[] | undefined, signal: AbortSignal, output: Output) {
    this.program = program;
    this.signal = signal;
    this.output = output;
  }
}
