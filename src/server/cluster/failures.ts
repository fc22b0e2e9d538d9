import { TenonError } from '../../base/errors.js';
import { messageOf } from '../../base/thrown.js';

/**
 * The store that the nodes share cannot be reached, or did not answer in time. What needs no store goes on; try again
 * what failed: `cause` says what happened.
 *
 * @example
 * try {
 *   await cluster.read(key);
 * } catch (error) {
 *   if (error instanceof ClusterUnavailable) console.error('the store is away:', error.message);
 * }
 */
export class ClusterUnavailable extends TenonError {
  override readonly name = 'ClusterUnavailable';
  override readonly kind = 'cluster-unavailable';
}

/**
 * A group of values in a cluster has as many as it may have. Wait until some have expired, or remove some.
 *
 * @example
 * try {
 *   await cluster.write(key, value, { was: undefined, expiresAt, group: { name: 'tasks of ada', limit: 100 } });
 * } catch (error) {
 *   if (error instanceof GroupFull) console.error(error.message);
 * }
 */
export class GroupFull extends TenonError {
  override readonly name = 'GroupFull';
  override readonly kind = 'group-full';

  constructor(group: string, limit: number, options?: ErrorOptions) {
    super(`there are ${limit} values in "${group}" already, and there may not be more`, options);
  }
}

/** Why a store failed. Where a name has several addresses, the error of each is in a list, and the one around says nothing. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown) || String((thrown as { code?: unknown } | undefined)?.code ?? 'unknown');
}
