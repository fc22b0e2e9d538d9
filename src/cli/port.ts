import { InvalidArgumentError } from 'commander';

/** Reads the number of a port; 0 stands for any free one. */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}
