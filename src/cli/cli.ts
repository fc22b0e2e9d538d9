import { interrupt } from './interrupt.js';
import type { Output } from './terminal/output.js';

/** What every command gets: the program after `--`, the signal that interrupts it, and where it writes. */
export class Cli {
  /** The program after `--` and its arguments, if there is one. */
  readonly program: readonly string[] | undefined;
  readonly output: Output;
  /** The exit code of a command that ends without an error. */
  exitCode = 0;
  readonly #interruption: AbortController;

  constructor(program: readonly string[] | undefined, interruption: AbortController, output: Output) {
    this.program = program;
    this.#interruption = interruption;
    this.output = output;
  }

  /** Aborts when the user presses Ctrl+C. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  /** Does what Ctrl+C does, where the terminal gives it to the program as a key. */
  interrupt(): void {
    interrupt(this.#interruption);
  }
}
