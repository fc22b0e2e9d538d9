import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import type { TaskStatus } from '../../protocol/task.js';
import type { Task } from '../task-handle.js';

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

/**
 * Reads a task, in the terms of the extension or of 2025-11-25, where durations lack their `Ms`. Throws `InvalidAnswer` if
 * it has no id or no known status; other members that are malformed are left out, as nothing depends on them.
 */
export function readTask(value: unknown, method: string): Task {
  if (!isObject(value)) throw malformed(method, 'it is not an object');
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = value;
  if (typeof taskId !== 'string' || taskId === '') throw malformed(method, 'it has no taskId');
  if (!STATUSES.has(status)) throw malformed(method, `its status is ${quoteBriefly(status)}`);
  const ttlMs = value.ttlMs ?? value.ttl;
  const pollIntervalMs = value.pollIntervalMs ?? value.pollInterval;
  return {
    taskId,
    status: status as TaskStatus,
    ...(typeof statusMessage === 'string' && { statusMessage }),
    ...(typeof createdAt === 'string' && { createdAt }),
    ...(typeof lastUpdatedAt === 'string' && { lastUpdatedAt }),
    ttlMs: isDuration(ttlMs) ? ttlMs : null,
    ...(isDuration(pollIntervalMs) && { pollIntervalMs }),
  };
}

/** Reads the task that was asked for. Throws `InvalidAnswer` if the answer is about another one. */
export function readSameTask(value: JsonObject, method: string, taskId: string): Task {
  const task = readTask(value, method);
  if (task.taskId === taskId) return task;
  throw new InvalidAnswer(
    `${method} was answered for the task ${quoteBriefly(task.taskId)}, not for ${taskId}`,
  );
}

/** Whether a task in this state stays in it. */
export function isFinal(status: TaskStatus): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** Whether a task of the extension has in it what belongs to its state. */
export function isDetailed({ status, inputRequests, result, error }: JsonObject): boolean {
  if (status === 'input_required') return isObject(inputRequests);
  if (status === 'completed') return isObject(result);
  return status === 'failed' ? isObject(error) : status === 'working' || status === 'cancelled';
}

function malformed(method: string, problem: string): InvalidAnswer {
  return new InvalidAnswer(`the task in the answer to ${method} is malformed: ${problem}`);
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
