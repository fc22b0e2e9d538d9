/** A program to start as a server; it is connected through its standard input and output. */
export interface Command {
  /** A program, found on `PATH`, or a path to it. No shell is involved. */
  command: string;
  args?: readonly string[] | undefined;
  /** Variables added to the few that are safe to pass on; tokens and other secrets must be given here. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  cwd?: string | undefined;
  /** Where standard error goes. By default its last part is kept, for error messages. */
  stderr?: 'keep' | 'inherit' | 'ignore' | undefined;
  /** Receives everything that the program writes to standard error, if it is kept. */
  onStderr?: ((text: string) => void) | undefined;
  /** Milliseconds to wait for the exit after its input ended, and again after `SIGTERM`; 1,500 by default. */
  graceMs?: number | undefined;
  /**
   * If the program ends by itself, starts it again with the next request. By default this happens if its revision keeps
   * no state between requests; programs of the handshake revisions would have forgotten what they were told.
   */
  restart?: boolean | undefined;
}
