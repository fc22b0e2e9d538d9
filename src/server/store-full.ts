import { TenonError } from '../base/errors.js';

/**
 * A store in memory is full: that of single uses, where forgetting a use would allow it a second time, or a
 * `memoryCluster`. The request fails, and the error goes to `onError` of the server; give it a larger store.
 *
 * @example
 * const server = new Server({ name: 'bank', version: '1.0.0' }, {
 *   onError(error) {
 *     if (error instanceof StoreFull) console.error('a larger store is needed:', error.message);
 *   },
 * });
 */
export class StoreFull extends TenonError {
  override readonly name = 'StoreFull';
  override readonly kind = 'store-full';
}
