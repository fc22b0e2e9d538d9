/*
 * The limits of tasks. Those that are options of `tasks` have these defaults.
 */

const KiB = 1024;
const MiB = 1024 * KiB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long a call of a tool with `task: 'auto'` may take before it becomes a task. */
export const AUTO_AFTER_MS = 500;
/** How long a task and its result are kept, from its creation, unless `ttlMs` is set. */
export const TASK_TTL_MS = HOUR;
/** The longest time that a client can ask for, unless `maxTtlMs` is set. */
export const MAX_TASK_TTL_MS = 24 * HOUR;
/** How many tasks a principal may have, with those that have ended and are kept, unless `maxTasks` is set. */
export const MAX_TASKS = 1000;
/** How many tasks all callers may have together that are not authenticated, unless `maxTasks` is set. */
export const MAX_ANONYMOUS_TASKS = 10_000;
/** The largest result of a task, unless `maxResultBytes` is set. */
export const MAX_RESULT_BYTES = MiB;
/** The largest sum of the arguments, the answers and the results of steps of a task. */
export const MAX_TASK_BYTES = 4 * MiB;
/** The longest status message; what is longer is cut. */
export const MAX_STATUS_LENGTH = KiB;
/** How many tasks one stream may listen to. */
export const MAX_LISTENED_TASKS = 1000;

/** How often a client should ask for a new task. The older a task is, the less often. */
export const MIN_POLL_MS = 500;
/** How often a client should ask for an old task. */
export const MAX_POLL_MS = 10 * SECOND;
/** How often a task can be asked for per second; more is refused. */
export const MAX_POLLS_PER_SECOND = 20;
/** How often it can be asked for at once, after a quiet time. */
export const MAX_POLL_BURST = 50;
/** How many tasks are known for which the requests are counted. */
export const MAX_COUNTED_TASKS = 10_000;

/** After how long another node takes over the work of one that is gone, unless `leaseMs` is set. */
export const LEASE_MS = 15 * SECOND;
/** How often a task is begun again when its node was lost, without coming any further. */
export const MAX_ATTEMPTS = 5;
/** How many tasks a node works on at once, unless `concurrency` is set. */
export const CONCURRENCY = 100;
/** How long a node that closes waits for the handlers of its tasks to stop. */
export const CLOSING_MS = 5 * SECOND;
/** How often progress is written down. */
export const PROGRESS_MS = SECOND;
/** How often a change is tried again because another node was faster. */
export const MAX_CHANGE_TRIES = 50;
/** How often a request that waits for the end of a task looks for itself, in case that a message was lost. */
export const LOOK_AGAIN_MS = 5 * SECOND;
/** How many tasks a page of `tasks/list` has. */
export const TASKS_PER_PAGE = 100;
