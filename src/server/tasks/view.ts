import type { JsonObject } from '../../base/json.js';
import type { TaskDialect } from '../../revisions/tasks.js';
import { MAX_POLL_MS, MIN_POLL_MS } from './limits.js';
import { hasEnded, type TaskState } from './record.js';

/**
 * A task as a client of the extension sees it, with everything that belongs to its status.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-status
 */
export function showTask(state: TaskState): JsonObject {
  const { status, questions, result, error } = state;
  return {
    ...common(state),
    ttlMs: state.ttlMs,
    pollIntervalMs: pollInterval(state),
    ...(status === 'input_required' && { inputRequests: questions ?? {} }),
    ...(status === 'completed' && { result: { resultType: 'complete', ...result } }),
    ...(status === 'failed' && { error }),
  };
}

/**
 * A task as a client of 2025-11-25 sees it. There, a result that reports a failure makes a failed task.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#data-types
 */
export function showCoreTask(state: TaskState): JsonObject {
  const { failure } = state;
  return {
    ...common(state),
    ...(failure !== undefined && { status: 'failed' }),
    ...(failure && { statusMessage: failure }),
    ttl: state.ttlMs,
    pollInterval: pollInterval(state),
  };
}

export const SHOW: Readonly<Record<TaskDialect, (state: TaskState) => JsonObject>> = {
  core: showCoreTask,
  extension: showTask,
};

function common({ id, status, message, createdAt, updatedAt }: TaskState): JsonObject {
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

/** The longer a task has taken, the longer it will take: clients ask less and less often. */
function pollInterval(state: TaskState): number {
  if (hasEnded(state)) return MIN_POLL_MS;
  const age = Date.now() - state.createdAt;
  return Math.round(Math.min(Math.max(age / 10, MIN_POLL_MS), MAX_POLL_MS));
}
