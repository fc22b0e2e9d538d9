import type { TaskHandle } from 'tenon/client';
import type { RunningTask } from './api.js';

interface Kept extends RunningTask {
  readonly outcome: Promise<Record<string, unknown>>;
  /** Whether the page that began it was closed or reloaded. */
  isAbandoned: boolean;
}

/** How many tasks are kept for pages that may never come back. */
const MAX_KEPT = 20;

/** The calls that have become tasks. They outlive their page: the next one that is opened shows them. */
export class RunningTasks {
  readonly #tasks = new Map<string, Kept>();
  readonly #onChange: (call: string, task: TaskHandle) => void;

  constructor(onChange: (call: string, task: TaskHandle) => void) {
    this.#onChange = onChange;
  }

  /** A call has become a task, or its task has changed. */
  note(running: Omit<RunningTask, 'startedAt'>, outcome: Promise<Record<string, unknown>>): void {
    const { call, task } = running;
    const known = this.#tasks.get(call);
    if (known) known.task = task;
    else this.#keep({ ...running, startedAt: Date.now(), outcome, isAbandoned: false });
    this.#onChange(call, task);
  }

  /** The page that waited for it is gone. Returns the task; undefined if the call is none. */
  abandon(call: string): RunningTask | undefined {
    const task = this.#tasks.get(call);
    if (!task) return undefined;
    task.isAbandoned = true;
    return describe(task);
  }

  /** The tasks that no page waits for. */
  abandoned(): RunningTask[] {
    return [...this.#tasks.values()].filter(({ isAbandoned }) => isAbandoned).map(describe);
  }

  /** Waits for a task for another page; undefined if there is no such task. */
  follow(call: string): Promise<Record<string, unknown>> | undefined {
    const task = this.#tasks.get(call);
    if (!task) return undefined;
    task.isAbandoned = false;
    return task.outcome.finally(() => this.#tasks.delete(call));
  }

  #keep(task: Kept): void {
    this.#tasks.set(task.call, task);
    const forget = () => {
      // The result of an abandoned task waits for the next page.
      if (!task.isAbandoned) this.#tasks.delete(task.call);
      for (const call of [...this.#tasks.keys()].slice(0, -MAX_KEPT)) this.#tasks.delete(call);
    };
    task.outcome.then(forget, forget);
  }
}

function describe({ call, method, params, startedAt, task }: Kept): RunningTask {
  return { call, method, params, startedAt, task };
}
