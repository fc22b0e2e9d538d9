/** A program that is started and spoken to through its standard input and output. */
export interface Command {
  /** A program, found on `PATH`, or a path to it. No shell is involved. */
  command: string;
  args?: readonly string[] | undefined;
  /** Added to the few variables that are safe to pass on; tokens and the like have to be given here. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  cwd?: string | undefined;
  /** What happens with standard error. By default its end is kept, for error messages. */
  stderr?: 'keep' | 'inherit' | 'ignore' | undefined;
  /** Gets all that the program writes to standard error, if it is kept. */
  onStderr?: ((text: string) => void) | undefined;
  /** Milliseconds that the program may take to exit after its input has ended, and again after `SIGTERM`; 1,500 by default. */
  graceMs?: number | undefined;
  /** Starts the program again, with the next request, if it ends by itself. */
  restart?: boolean | undefined;
}
