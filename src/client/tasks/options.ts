import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import type { TaskHandle } from '../task-handle.js';

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
