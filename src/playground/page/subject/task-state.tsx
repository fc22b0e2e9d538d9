import { Show } from 'solid-js';
import type { TaskHandle } from 'tenon/client';

const STATUSES: Record<TaskHandle['status'], string> = {
  working: 'working',
  input_required: 'waiting for an answer',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The task that a run has become. It goes on at the server when this page is closed. */
export function TaskState(props: { task: TaskHandle }) {
  return (
    <p class="task-state">
      <span class="tag">Task</span> <span role="status">{STATUSES[props.task.status] ?? ''}</span>
      <Show when={props.task.statusMessage}>{message => <span> · {message()}</span>}</Show>{' '}
      <code class="muted">{props.task.taskId}</code>
    </p>
  );
}
