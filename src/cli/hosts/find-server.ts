import { usageError } from '../failure.js';

/** The server of this name in the configuration of a host on this machine. */
export function findServer(name: string): never {
  throw usageError(
    `"${name}" is no URL, and no host on this machine knows a server of this name`,
    'Give a URL, or start a program: tenon list -- node server.js',
  );
}
