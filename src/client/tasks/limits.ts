/** How often to ask a server that does not say how often it wants to be asked. */
export const POLL_MS = 1000;
/** The shortest and the longest interval between two polls that a server can ask for. */
export const MIN_POLL_MS = 250;
export const MAX_POLL_MS = 60_000;
/** How long to wait at least between questions about a task whose changes the server reports. */
export const LISTENING_POLL_MS = 30_000;
/** How long a task is followed. */
export const MAX_TASK_MS = 24 * 3600_000;
/** How many tasks of a client listen to notices at the same time, each on a stream of its own. The others are polled. */
export const MAX_LISTENING = 4;
/** How often in a row a server may be out of reach. */
export const MAX_FAILURES = 8;
/** How often a task may ask questions. */
export const MAX_QUESTION_ROUNDS = 100;
/** How long a request about a task may take, other than one that waits for its end. */
export const REQUEST_TIMEOUT_MS = 60_000;
/** How long to wait for a server to acknowledge that a task is cancelled. */
export const CANCEL_TIMEOUT_MS = 2000;
