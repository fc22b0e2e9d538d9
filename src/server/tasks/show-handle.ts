import type { Result } from '../../protocol/call.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import type { TaskDialect } from '../../revisions/tasks.js';
import type { TaskState } from './record.js';
import { showCoreTask, showTask } from './view.js';

/** The result of a call that became a task. */
export function showHandle(state: TaskState, dialect: TaskDialect): Result {
  return dialect === 'core'
    ? { task: showCoreTask(state), [OWN_RESULT]: true }
    : { ...showTask(state), resultType: 'task', [OWN_RESULT]: true };
}
