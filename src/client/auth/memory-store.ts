import type { CredentialStore, StoredCredentials } from './store.js';

/**
 * Keeps credentials in the memory of this process.
 *
 * @example
 * const store = memoryStore();
 */
export function memoryStore(): CredentialStore {
  const entries = new Map<string, StoredCredentials>();
  let writes = 0;
  return {
    get: key => entries.get(key),
    replace(key, value, expected) {
      if (entries.get(key)?.version !== expected) return false;
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, version: `${++writes}` });
      return true;
    },
  };
}
