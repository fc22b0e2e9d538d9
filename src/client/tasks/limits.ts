import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import type { TaskHandle } from '../task-handle.js';

/** How often to ask a server that does not say how often it wants to be asked. */
export const POLL_MS = 1000;
/** A server that wants to be asked more often than this, or less often, is not obeyed. */
export const MIN_POLL_MS = 250;
export const MAX_POLL_MS = 60_000;
/** How long to wait at least between questions about a task whose changes the server reports. */
export const LISTENING_POLL_MS = 30_000;
/** How long a task is followed: a day. */
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

/** Options of `tasksClient`. */
export interface TasksClientOptions {
  /** As `onTask` of a call, for all calls of the client. `server` is the name that handlers are given. */
  onTask?: ((task: TaskHandle, context: { server: string }) => void) | undefined;
  /** Milliseconds between two polls of a task whose server does not say how often; 1,000 by default. */
  pollIntervalMs?: number | undefined;
  /** The shortest interval that a server can ask for; 250 by default. */
  minPollMs?: number | undefined;
  /** The longest interval that a server can ask for; 60,000 by default. */
  maxPollMs?: number | undefined;
  /** How long a task is followed, for calls without a `maxTimeoutMs` of their own; a day by default. */
  maxTaskMs?: number | undefined;
  /** Whether to listen to notices where the server sends some; true by default. */
  listen?: boolean | undefined;
}

const NAMES: OptionNames<TasksClientOptions> = {
  onTask: 1,
  pollIntervalMs: 1,
  minPollMs: 1,
  maxPollMs: 1,
  maxTaskMs: 1,
  listen: 1,
};

/** Throws if options are unknown, or durations are not positive. */
export function checkTasksOptions(options: TasksClientOptions): void {
  checkOptions(options, NAMES, 'tasksClient');
  for (const name of ['pollIntervalMs', 'minPollMs', 'maxPollMs', 'maxTaskMs'] as const) {
    const ms = options[name];
    if (ms !== undefined && !(typeof ms === 'number' && ms > 0))
      throw new UsageError(`${name} of tasksClient must be a number of milliseconds above 0`);
  }
}
