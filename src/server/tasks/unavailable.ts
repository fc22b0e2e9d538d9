import { ERROR, McpError } from '../../protocol/errors.js';
import { ClusterUnavailable } from '../cluster/failures.js';

const RETRY_AFTER_MS = 2000;

/** Runs work that needs the store. While the store is away, the client is told to try again. */
export async function retryable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClusterUnavailable)) throw error;
    const data = { retryAfterMs: RETRY_AFTER_MS };
    throw new McpError(ERROR.busy, 'tasks cannot be reached for the moment; try again', data, {
      cause: error,
    });
  }
}
