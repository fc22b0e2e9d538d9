import { ERROR, McpError } from '../../protocol/errors.js';
import { RETRY_AFTER_MS } from '../limits.js';

/** The error for a client whose request needs the store while that is away. It says when to try again. */
export class StoreAway extends McpError {
  /** The HTTP status of the refusal. */
  readonly status = 503;

  constructor(cause: unknown) {
    const message = 'the store that the nodes of this server share cannot be reached now; try again later';
    super(ERROR.busy, message, { retryAfterMs: RETRY_AFTER_MS }, { cause });
  }
}
