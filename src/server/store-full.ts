import { TenonError } from '../base/errors.js';

/**
 * The store of single uses is full. The request fails, because forgetting a use would allow it a second time. The error
 * goes to `onError` of the server; give the server a larger store as `singleUse`.
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
