import { ERROR, McpError } from '../../protocol/errors.js';
import { ClusterUnavailable } from '../cluster/failures.js';
import { StoreFull } from '../store-full.js';

const RETRY_AFTER_MS = 2000;

/** Runs work that needs the store. While the store is away, or full, the client is told to try again. */
export async function retryable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFull = error instanceof StoreFull;
    if (!isFull && !(error instanceof ClusterUnavailable)) throw error;
    const message = isFull
      ? 'there is no memory for more tasks now; try again later'
      : 'tasks cannot be reached for the moment; try again';
    throw new McpError(ERROR.busy, message, { retryAfterMs: RETRY_AFTER_MS }, { cause: error });
  }
}
