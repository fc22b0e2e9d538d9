import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { InvalidAnswer, isBroken, isOutOfReach } from '../../protocol/failures.js';
import { RELATED_TASK } from '../../protocol/task.js';
import type { Task } from '../task-handle.js';
import type { ServerDialect, TaskWork, TaskWorkHost } from './dialect.js';
import { cancelledTask } from './ended.js';
import { MAX_FAILURES } from './limits.js';
import { taskCapabilities } from './task-support.js';

/**
 * The tasks of 2025-11-25: `tasks/result` has the result, and carries the questions of a task that needs input.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export const CORE_DIALECT: ServerDialect = {
  hasNotices: false,
  headersFor: () => ({}),
  canCancel: server => taskCapabilities(server)?.cancel !== undefined,
  begin: host => new CoreWork(host),
};

class CoreWork implements TaskWork {
  result: JsonObject | undefined;
  readonly #host: TaskWorkHost;
  #error: McpError | undefined;
  #isWaiting = false;
  #failures = 0;

  constructor(host: TaskWorkHost) {
    this.#host = host;
  }

  take(task: Task): JsonObject | undefined {
    if (task.status === 'cancelled') throw cancelledTask(task);
    if (this.#error) throw this.#error;
    if (task.status === 'working') return undefined;
    // While a task needs input, its questions come with this request, which then waits for the end.
    if (!this.#isWaiting && !this.result) void this.#wait();
    return this.result;
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    try {
      const result = await this.#host.waitForEnd();
      checkRelation(result, this.#host.handle.taskId);
      this.result = result;
      this.#host.wake();
    } catch (error) {
      this.#failed(error);
    }
    this.#isWaiting = false;
  }

  #failed(error: unknown): void {
    // The next poll asks again. A server asks its questions again then, so this is only for requests that it did not answer.
    if (mayBeSentAgain(error) && ++this.#failures <= MAX_FAILURES) return;
    if (!(error instanceof McpError)) return this.#host.fail(error);
    // The task may have been cancelled or forgotten meanwhile: its state tells.
    this.#error = error;
    this.#host.wake();
  }
}

function mayBeSentAgain(error: unknown): boolean {
  // A stream that broke off and cannot be resumed belonged to a node that is gone: another one has the task.
  return error instanceof McpError ? error.code === ERROR.busy : isBroken(error) || isOutOfReach(error);
}

function checkRelation({ _meta }: JsonObject, taskId: string): void {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
  if (!isObject(related) || related.taskId === taskId) return;
  throw new InvalidAnswer(
    `tasks/result was answered for the task ${quoteBriefly(related.taskId)}, not for ${taskId}`,
  );
}
