import { ERROR, McpError } from './errors.js';

/** How many rounds a request may take, at a server and at a client. The last one cannot ask, so there are 15 with questions. */
export const MAX_ROUNDS = 16;

/** The error for a handler that never stops asking. */
export function tooManyRounds(): McpError {
  return new McpError(
    ERROR.internal,
    `the handler is not done after ${MAX_ROUNDS} rounds, which is the limit`,
  );
}
