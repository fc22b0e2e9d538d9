import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { McpError } from '../../protocol/errors.js';
import { InvalidAnswer, isOutOfReach } from '../../protocol/failures.js';
import type { Task } from '../task-handle.js';
import type { TaskDialect, TaskWork, TaskWorkHost } from './dialect.js';
import { cancelledTask } from './ended.js';
import { MAX_FAILURES } from './limits.js';
import { RELATED_TASK } from './names.js';
import { isFinal } from './read-task.js';
import { taskCapabilities } from './task-support.js';

/**
 * The tasks of 2025-11-25: `tasks/result` has the result, and carries the questions of a task that needs input.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export const CORE_DIALECT: TaskDialect = {
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
    if (task.status === 'working') return undefined;
    if (task.status === 'cancelled') throw cancelledTask(task);
    if (this.#error) throw this.#error;
    // While a task needs input, its questions come with this request, which then waits for the end.
    if (!this.#isWaiting && !this.result) void this.#wait(isFinal(task.status));
    return this.result;
  }

  async #wait(isOver: boolean): Promise<void> {
    this.#isWaiting = true;
    try {
      const result = await this.#host.waitForEnd();
      checkRelation(result, this.#host.handle.taskId);
      this.result = result;
    } catch (error) {
      // Of a task that is over, it is the error of the call; otherwise it may be that of this request.
      if (isOver && error instanceof McpError) this.#error = error;
      else if (!(isOutOfReach(error) || error instanceof McpError) || ++this.#failures > MAX_FAILURES)
        this.#host.fail(error);
    }
    this.#isWaiting = false;
    this.#host.wake();
  }
}

function checkRelation({ _meta }: JsonObject, taskId: string): void {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
  if (!isObject(related) || related.taskId === taskId) return;
  throw new InvalidAnswer(
    `tasks/result was answered for the task ${quoteBriefly(related.taskId)}, not for ${taskId}`,
  );
}
