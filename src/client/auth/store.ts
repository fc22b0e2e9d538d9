import type { Awaitable } from '../../base/settle.js';

/** Credentials in a store, as text. */
export interface StoredCredentials {
  readonly value: string;
  /** Changes with every write. */
  readonly version: string;
}

/**
 * Stores tokens and registrations. Several processes may share one store, because no write overwrites a value that
 * another process has written in the meantime.
 */
export interface CredentialStore {
  get(key: string): Awaitable<StoredCredentials | undefined>;
  /**
   * Writes a value, or removes it with `undefined`, if the stored version is still `expected`; `undefined` means that
   * nothing is stored. Resolves to whether the write was done.
   */
  replace(key: string, value: string | undefined, expected: string | undefined): Awaitable<boolean>;
}
