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

/**
 * Opens a page in the user's browser, such as one that a server asks the user to visit: only after the user agreed.
 * Only `http:` and `https:` are allowed, since other schemes start other programs. `onFailure` is called if the program
 * that opens the browser fails. On Node only.
 *
 * @example
 * await connect(url, {
 *   onElicitUrl: async page => {
 *     if (!(await confirm(page.message, page.url))) return { action: 'decline' };
 *     await openBrowser(new URL(page.url));
 *     return { action: 'accept' };
 *   },
 * });
 */
export function openBrowser(_url: URL, _onFailure?: () => void): Promise<void> {
  throw new UsageError('openBrowser works on Node only; use window.open in a page');
}
