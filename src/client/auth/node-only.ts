import { UsageError } from '../../base/errors.js';
import type { LoopbackOptions, Redirect } from './redirect.js';
import type { CredentialStore } from './store.js';

/**
 * Keeps credentials in a file that several processes may share. Only its owner may read it. On Node only.
 *
 * @example
 * const auth = signIn({ store: fileStore(join(homedir(), '.config', 'bistro', 'credentials.json')) });
 */
export function fileStore(_path: string): CredentialStore {
  throw new UsageError('fileStore works on Node only; pass a store of your own, or memoryStore()');
}

/**
 * Opens the user's browser, and receives the redirect back on this machine. On Node only.
 *
 * @example
 * const auth = signIn({ redirect: loopback({ port: 8976 }) });
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function loopback(_options?: LoopbackOptions): Redirect {
  throw new UsageError('loopback works on Node only; pass { uri } of a page to which users come back');
}
