import { ERROR, McpError } from './errors.js';

/** How many rounds a request may have, on either side. */
export const MAX_ROUNDS = 16;

/** The error for a handler that never stops asking. */
export function tooManyRounds(): McpError {
  return new McpError(
    ERROR.internal,
    `the handler asked in more than ${MAX_ROUNDS} rounds, which is the limit`,
  );
}
