import { TenonError } from '../../base/errors.js';

/**
 * An app is not shown: its tool has none, its page is missing, has another type or is too large, the user did not want it,
 * or the sandbox does not answer. The result of the tool can still be shown as text.
 *
 * @example
 * try {
 *   await loadApp(client, 'ui://weather/dashboard');
 * } catch (error) {
 *   if (error instanceof AppRefused) console.error('no app:', error.message);
 * }
 */
export class AppRefused extends TenonError {
  override readonly name = 'AppRefused';
  override readonly kind = 'app-refused';
}
