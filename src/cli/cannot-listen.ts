import { EXIT } from './exit-codes.js';
import { CliError } from './failure.js';

/** Explains why a port cannot be used; `option` is the one that chooses it. */
export function cannotListen(error: NodeJS.ErrnoException, port: number, option: string): CliError {
  const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message;
  return new CliError(`cannot listen on port ${port}: ${reason}`, {
    next: `Choose another one with ${option} PORT, or leave it out to get a free one.`,
    exitCode: EXIT.cannotConnect,
    kind: 'cannot-listen',
    cause: error,
  });
}
