import type { TaskHandle } from 'tenon/tasks/client';
import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import type { ProgressLine } from '../terminal/progress-line.js';

/** Shows what happens to the task that a call has become. */
export class TaskReport {
  readonly #output: Output;
  readonly #line: ProgressLine;
  /** Whether the call has become a task. */
  hasTask = false;

  constructor(output: Output, line: ProgressLine) {
    this.#output = output;
    this.#line = line;
  }

  tell({ taskId, status, statusMessage }: TaskHandle): void {
    if (!this.hasTask) this.#output.detail(`the call is the task ${plainLine(taskId)}`);
    this.hasTask = true;
    const text = plainLine(statusMessage ?? WORDS[status]);
    this.#line.say(text);
    this.#output.detail(`task: ${status}${statusMessage === undefined ? '' : `, ${text}`}`);
  }
}

const WORDS: Record<TaskHandle['status'], string> = {
  working: 'the task is running',
  input_required: 'the task needs an answer',
  completed: 'the task is done',
  failed: 'the task failed',
  cancelled: 'the task was cancelled',
};
