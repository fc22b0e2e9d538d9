import { TenonError } from '../../base/errors.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { TaskHandle } from '../task-handle.js';

/**
 * The server does not know a task any more: its time to live is over, the server was restarted, or the task belongs to
 * another user. Whether the work was done is unknown: look before the tool is called again.
 *
 * @example
 * try {
 *   await resumeTask(client, handle);
 * } catch (error) {
 *   if (error instanceof TaskLost) console.error('look whether it was done:', error.task.tool);
 * }
 */
export class TaskLost extends TenonError {
  override readonly name = 'TaskLost';
  override readonly kind = 'task-lost';
  /** The task as it was seen last. */
  readonly task: TaskHandle;

  constructor(task: TaskHandle, cause: unknown) {
    super(
      `the server does not know the task ${task.taskId} of the tool ${task.tool} any more; it was last ${task.status}`,
      { cause },
    );
    this.task = task;
  }
}

/** Whether a server refused a request about a task because it does not know the task. */
export function isUnknownTask(error: unknown): boolean {
  return error instanceof McpError && error.code === ERROR.invalidParams;
}
