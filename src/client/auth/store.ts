import type { Awaitable } from '../../base/settle.js';

/** What is kept under a key. */
export interface Stored {
  readonly value: string;
  /** Changes with every write. */
  readonly version: string;
}

/**
 * Where tokens and registrations are kept. Several processes may share one, because nothing is written over
 * what another has written meanwhile.
 */
export interface CredentialStore {
  get(key: string): Awaitable<Stored | undefined>;
  /**
   * Writes a value, or removes it with `undefined`, if what is there still has the version `expected`;
   * `undefined` means that nothing is there. Resolves to whether it did.
   */
  replace(key: string, value: string | undefined, expected: string | undefined): Awaitable<boolean>;
}
