import { randomBytes } from 'node:crypto';

/** Keys of a server's own. Without keys, every process of the suite would print that none are set. */
export function freshKeys(): Uint8Array[] {
  return [randomBytes(32)];
}
