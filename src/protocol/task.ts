/** The id of the tasks extension. */
export const TASKS_ID = 'io.modelcontextprotocol/tasks';

/** The key of `_meta` that says which task a message belongs to, in the tasks of 2025-11-25. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/**
 * The state of a task: `completed`, `failed` and `cancelled` are final.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-status
 */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/**
 * Whether calls of a tool become tasks:
 * - `never`: the client waits for the result (the default)
 * - `auto`: a client that knows tasks gets one if the result takes longer than a moment; all others wait
 * - `{ after: 5000 }`: the same, with another moment
 * - `always`: a client that knows tasks gets one at once; one that could have declared them, but did not, is refused
 */
export type TaskMode = 'never' | 'auto' | 'always' | { readonly after: number };

/** The task that a handler runs in. */
export interface TaskControl {
  /** Undefined while the call is not a task: the client may get its result at once. */
  readonly id: string | undefined;
  /**
   * Lets another process finish the work, such as a CI system. The result of the handler is ignored then, and the task
   * lasts until a process calls `completeTask` or `failTask` of `tenon/tasks` with the returned token.
   */
  defer(): Promise<string>;
}
