import { isObject, type JsonObject } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { InvalidAnswer, isOutOfReach, TooManyRounds } from '../../protocol/failures.js';
import { encodeHeaderValue, HEADER } from '../../protocol/headers.js';
import {
  fromInputRequests,
  type InputRequest,
  type InputResponse,
  toInputRequests,
  toInputResponses,
} from '../../protocol/input.js';
import { MAX_QUESTIONS } from '../limits.js';
import type { Task } from '../task-handle.js';
import type { ServerDialect, TaskWork, TaskWorkHost } from './dialect.js';
import { cancelledTask, failedTask } from './ended.js';
import { MAX_QUESTION_ROUNDS } from './limits.js';

/**
 * The tasks extension: a task has its questions, its result or its error in it.
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
export const EXTENSION_DIALECT: ServerDialect = {
  hasNotices: true,
  // Intermediaries route requests to the node that has the task by this header.
  headersFor: taskId => ({ [HEADER.name]: encodeHeaderValue(taskId) }),
  canCancel: () => true,
  begin: host => new ExtensionWork(host),
};

class ExtensionWork implements TaskWork {
  readonly result = undefined;
  readonly #host: TaskWorkHost;
  /** The questions that were seen, as text, and the answers to them that the server has not got yet. */
  readonly #seen = new Map<string, string>();
  readonly #unsent = new Map<string, InputResponse>();
  #isSending = false;
  /** How often in a row the answers could not be sent. */
  #failures = 0;
  #refusal: unknown;
  #rounds = 0;

  constructor(host: TaskWorkHost) {
    this.#host = host;
  }

  take(task: Task, described: JsonObject): JsonObject | undefined {
    switch (task.status) {
      case 'completed':
        return readResult(task, described.result);
      case 'failed':
        throw failedTask(task, described.error);
      case 'cancelled':
        throw cancelledTask(task);
      case 'input_required':
        if (this.#refusal) throw this.#refusal;
        this.#ask(described.inputRequests);
        this.#send();
        return undefined;
      case 'working':
        return undefined;
    }
  }

  /** Begins to answer the questions that were not seen before. */
  #ask(inputRequests: unknown): void {
    const { taskId, answered } = this.#host.handle;
    const asked = fromInputRequests(inputRequests);
    const count = isObject(inputRequests) ? Object.keys(inputRequests).length : -1;
    if (count !== asked.length)
      throw new InvalidAnswer(`the task ${taskId} asks a question that is malformed or of an unknown kind`);
    if (count > MAX_QUESTIONS) throw new InvalidAnswer(`the task ${taskId} asks ${count} things at once`);
    const fresh = asked.filter(({ id, ...question }) => this.#isNew(id, question) && !answered.includes(id));
    if (fresh.length === 0) return;
    if (++this.#rounds > MAX_QUESTION_ROUNDS)
      throw new TooManyRounds(`the task ${taskId} asked questions more than ${MAX_QUESTION_ROUNDS} times`);
    this.#answer(fresh).catch(error => this.#host.fail(error));
  }

  /** A key stands for one question as long as the task lives. */
  #isNew(key: string, question: Omit<InputRequest, 'id'>): boolean {
    const text = JSON.stringify(question);
    const known = this.#seen.get(key);
    if (known !== undefined && known !== text)
      throw new InvalidAnswer(
        `the task ${this.#host.handle.taskId} asks another question under the key ${JSON.stringify(key)}`,
      );
    this.#seen.set(key, text);
    return known === undefined;
  }

  async #answer(questions: ReturnType<typeof fromInputRequests>): Promise<void> {
    const { call, over } = this.#host;
    const answers = await this.#host.asking(call.answer(toInputRequests(questions), over));
    for (const [key, answer] of Object.entries(answers)) this.#unsent.set(key, answer);
    this.#send();
  }

  /** Sends the answers that the server has not got. If it is out of reach or busy, they are sent again after a pause. */
  #send(): void {
    if (this.#isSending || this.#unsent.size === 0) return;
    this.#isSending = true;
    const sent = [...this.#unsent].map(([id, response]) => ({ id, response }));
    this.#host
      .request('tasks/update', { inputResponses: toInputResponses(sent) })
      .then(
        () => {
          this.#failures = 0;
          for (const { id } of sent) this.#unsent.delete(id);
          this.#host.answered(sent.map(({ id }) => id));
        },
        error => {
          if (isOutOfReach(error) || isBusy(error)) return this.#host.wakeLater(this.#failures++);
          // Either the server does not know the task any more, or it does not accept the answers: its state tells.
          this.#refusal = error;
          this.#host.wake();
        },
      )
      .finally(() => {
        this.#isSending = false;
      });
  }
}

/** Whether the server has refused a request because it cannot handle it now. */
function isBusy(error: unknown): boolean {
  return error instanceof McpError && error.code === ERROR.busy;
}

function readResult({ taskId }: Task, result: unknown): JsonObject {
  if (isObject(result) && (result.resultType ?? 'complete') === 'complete') return result;
  throw new InvalidAnswer(`the task ${taskId} is completed, but it has no result`);
}
