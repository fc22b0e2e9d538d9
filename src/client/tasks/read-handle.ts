import { UsageError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { TaskHandle } from '../task-handle.js';
import { readTask } from './read-task.js';

/** Reads a handle that was stored, as a value or as text. Throws `UsageError` if it is none. */
export function readHandle(stored: unknown): TaskHandle {
  const value = typeof stored === 'string' ? parse(stored) : stored;
  if (!isObject(value) || typeof value.tool !== 'string') throw noHandle();
  const { tool, answered } = value;
  const keys = Array.isArray(answered) ? answered.filter(key => typeof key === 'string') : [];
  try {
    return { ...readTask(value, 'onTask'), tool, answered: keys };
  } catch (cause) {
    throw noHandle(cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw noHandle(cause);
  }
}

function noHandle(cause?: unknown): UsageError {
  return new UsageError('this is not the handle of a task: pass what `onTask` was called with', { cause });
}
