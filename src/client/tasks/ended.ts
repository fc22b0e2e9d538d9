import { Cancelled } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { McpError } from '../../protocol/errors.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import type { Task } from '../task-handle.js';

/** The error of a call whose task was cancelled, by the server or by another client. */
export function cancelledTask({ taskId, statusMessage }: Task): Cancelled {
  const why = statusMessage === undefined ? '' : `: ${statusMessage}`;
  return new Cancelled(`the task ${taskId} was cancelled at the server${why}`);
}

/** The error that a plain call would have ended with. */
export function failedTask({ taskId }: Task, error: unknown): Error {
  if (!isObject(error) || typeof error.code !== 'number' || typeof error.message !== 'string')
    return new InvalidAnswer(`the task ${taskId} failed, but its error is malformed`);
  return new McpError(error.code, error.message, error.data);
}
