import { MAX_TIMER_MS } from '../../base/timers.js';
import type { Task } from '../task-handle.js';
import { LISTENING_POLL_MS, MAX_POLL_MS, MIN_POLL_MS, POLL_MS } from './limits.js';
import type { TasksClientOptions } from './options.js';

/** By how much pauses are longer than the interval, at most: clients that began together do not ask together. */
const JITTER = 0.2;

/**
 * The milliseconds until a task is polled again: the interval that its server wants, within the bounds of the client. It
 * grows while the server is out of reach, and is long while notices say what changes: a poll that failed does not rely on
 * them.
 */
export function pollPause(
  { pollIntervalMs }: Pick<Task, 'pollIntervalMs'>,
  options: TasksClientOptions,
  { failures, isListening }: { failures: number; isListening: boolean },
): number {
  const { minPollMs = MIN_POLL_MS, maxPollMs = Math.max(MAX_POLL_MS, minPollMs) } = options;
  const wanted = pollIntervalMs ?? options.pollIntervalMs ?? POLL_MS;
  const calm = isListening && failures === 0 ? Math.max(wanted, LISTENING_POLL_MS) : wanted;
  const bounded = Math.min(Math.max(calm, minPollMs) * 2 ** failures, maxPollMs, MAX_TIMER_MS / 2);
  return bounded * (1 + Math.random() * JITTER);
}
