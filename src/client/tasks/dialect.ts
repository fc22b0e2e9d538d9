import type { JsonObject } from '../../base/json.js';
import type { CallContext } from '../extension.js';
import type { ServerDescription } from '../link.js';
import type { Task, TaskHandle } from '../task-handle.js';
import type { Headers } from '../wire.js';

/** How a server speaks about tasks: as the extension does, or as 2025-11-25 does. */
export interface ServerDialect {
  /** Whether the server reports changes of single tasks to clients that listen. */
  readonly hasNotices: boolean;
  /** The headers of a request about a task. */
  headersFor(taskId: string): Headers;
  canCancel(server: ServerDescription): boolean;
  /** Begins the work that a client does for a task while it follows it. */
  begin(host: TaskWorkHost): TaskWork;
}

/** A task that is followed, as the work for it sees it. */
export interface TaskWorkHost {
  readonly call: CallContext;
  readonly handle: TaskHandle;
  /** Aborts when the task is not followed any more. */
  readonly over: AbortSignal;
  /** Sends a request about the task. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Sends `tasks/result`, which is answered when the task has ended. */
  waitForEnd(): Promise<JsonObject>;
  /** The questions with these keys are answered. */
  answered(keys: readonly string[]): void;
  /** Waits for answers of the user, whose time does not count. */
  asking<T>(answers: Promise<T>): Promise<T>;
  /** Looks at the task now. */
  wake(): void;
  /** Looks at the task after a pause, which grows with the number of failures in a row. */
  wakeLater(failures: number): void;
  /** Ends the call with an error. */
  fail(error: unknown): void;
}

/** What a client does for a task: it answers questions, and fetches the result. */
export interface TaskWork {
  /** The result, if it came before the state that says so. */
  readonly result: JsonObject | undefined;
  /** Takes a state. Returns the result if the task is done. Throws the error that it ended with. */
  take(task: Task, described: JsonObject): JsonObject | undefined;
}
