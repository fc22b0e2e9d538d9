import { onAbort, throwIfAborted } from '../../base/abort.js';
import type { JsonObject } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { InvalidAnswer, isOutOfReach, RequestTimeout } from '../../protocol/failures.js';
import type { CallContext } from '../extension.js';
import type { RequestOptions } from '../link.js';
import { pause } from '../pause.js';
import type { Task, TaskHandle } from '../task-handle.js';
import { ChangeTeller } from './change-teller.js';
import type { ServerDialect, TaskWork, TaskWorkHost } from './dialect.js';
import { CANCEL_TIMEOUT_MS, MAX_FAILURES, MAX_TASK_MS, REQUEST_TIMEOUT_MS } from './limits.js';
import { isUnknownTask, TaskLost } from './lost.js';
import type { TasksClientOptions } from './options.js';
import { pollPause } from './polling.js';
import { isDetailed, isFinal, readSameTask } from './read-task.js';

/** Follows one task to its end, for one call. */
export class Follower implements TaskWorkHost {
  readonly call: CallContext;
  readonly handle: TaskHandle;
  readonly #dialect: ServerDialect;
  readonly #options: TasksClientOptions;
  readonly #work: TaskWork;
  readonly #teller: ChangeTeller;
  readonly #over = new AbortController();
  readonly #startedAt = Date.now();
  /** How old the task was by the clock of the server, when it was first seen. */
  readonly #initialAgeMs: number;
  #limitMs: number;
  #wake = new AbortController();
  #failure: { error: unknown } | undefined;
  /** The state in the latest notice. */
  #noticed: JsonObject | undefined;
  #isListening = false;
  #failures = 0;
  /** How many questions wait for the user, whose time does not count. */
  #asking = 0;
  /** Whether the call ends because the server cannot be asked: the task goes on, and can be resumed. */
  #leavesTask = false;

  constructor(call: CallContext, dialect: ServerDialect, handle: TaskHandle, options: TasksClientOptions) {
    this.call = call;
    this.handle = handle;
    this.#dialect = dialect;
    this.#options = options;
    this.#limitMs = call.options.maxTimeoutMs ?? options.maxTaskMs ?? MAX_TASK_MS;
    this.#initialAgeMs = ageOf(handle);
    this.#teller = new ChangeTeller(call, options);
    this.#work = dialect.begin(this);
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Resolves with the result of the call. A call that fails before the task has ended cancels the task. A task that this
   * client did not create is looked at without delay.
   */
  async follow({ isNew, listens }: { isNew: boolean; listens: boolean }): Promise<JsonObject> {
    const { signal } = this.call;
    const ignoreSignal = signal && onAbort(signal, () => this.#over.abort(signal.reason));
    this.#teller.tell(this.handle);
    if (listens) void this.#listen();
    try {
      const result = await this.#toTheEnd(isNew);
      this.#endedWith(result);
      return result;
    } catch (error) {
      if (!isFinal(this.handle.status) && !this.#leavesTask && !this.call.closing.aborted)
        await this.#cancel();
      throw error;
    } finally {
      ignoreSignal?.();
      this.#over.abort();
    }
  }

  request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { taskId } = this.handle;
    const { headers, timeoutMs } = this.call.options;
    return this.call.request(
      method,
      { taskId, ...params },
      {
        headers: { ...headers, ...this.#dialect.headersFor(taskId) },
        signal: this.over,
        timeoutMs,
        maxTimeoutMs: Math.max(REQUEST_TIMEOUT_MS, timeoutMs ?? 0),
        ...options,
      },
    );
  }

  waitForEnd(): Promise<JsonObject> {
    const leftMs = this.#startedAt + this.#limitMs - Date.now();
    return this.request('tasks/result', {}, { timeoutMs: leftMs, maxTimeoutMs: leftMs });
  }

  answered(keys: readonly string[]): void {
    this.handle.answered.push(...keys);
    this.#teller.tell(this.handle);
  }

  async asking<T>(answers: Promise<T>): Promise<T> {
    const startedAt = Date.now();
    this.#asking++;
    try {
      return await answers;
    } finally {
      this.#asking--;
      this.#limitMs += Date.now() - startedAt;
    }
  }

  wake(): void {
    this.#wake.abort();
  }

  wakeLater(failures: number): void {
    // No notice will come: the task waits for this client.
    const ms = pollPause(this.handle, this.#options, { failures, isListening: false });
    void pause(ms, this.over).then(() => this.wake());
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.wake();
  }

  async #toTheEnd(isNew: boolean): Promise<JsonObject> {
    // The state that a task begins with has no questions and no result in it.
    let isUrgent = !isNew || this.handle.status !== 'working';
    for (;;) {
      await this.#pause(isUrgent ? 0 : this.#pauseMs());
      isUrgent = false;
      if (this.#work.result) return this.#work.result;
      const described = this.#takeNotice() ?? (await this.#get());
      if (!described) continue;
      const task = this.#accept(described);
      const result = this.#work.take(task, described);
      if (result) return result;
      this.#checkAge(task);
    }
  }

  /** Remembers the end of a task whose result came before the state that says so. */
  #endedWith({ isError }: JsonObject): void {
    const { handle } = this;
    if (isFinal(handle.status)) return;
    delete handle.statusMessage;
    handle.status = isError === true ? 'failed' : 'completed';
    this.#teller.tell(handle);
  }

  #pauseMs(): number {
    const state = { failures: this.#failures, isListening: this.#isListening };
    const leftMs = this.#startedAt + this.#limitMs - Date.now();
    const pauseMs = pollPause(this.handle, this.#options, state);
    return this.#asking > 0 ? pauseMs : Math.max(Math.min(pauseMs, leftMs), 0);
  }

  /** Waits until the task is to be looked at. Throws if it must not be followed any longer. */
  async #pause(ms: number): Promise<void> {
    const { signal, closing } = this.call;
    await pause(ms, signal, closing, this.#wake.signal);
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    throwIfAborted(signal);
    if (closing.aborted) throw closing.reason;
    if (this.#failure) throw this.#failure.error;
    const limitMs = this.#limitMs;
    if (this.#asking === 0 && Date.now() - this.#startedAt >= limitMs) throw this.#timeout(limitMs, '');
  }

  /** A task may be forgotten when its time to live is over, so it is not waited for any longer. */
  #checkAge({ ttlMs }: Task): void {
    const ageMs = this.#initialAgeMs + Date.now() - this.#startedAt;
    if (ttlMs !== null && ageMs > ttlMs && this.#asking === 0)
      throw this.#timeout(ttlMs, ', its time to live');
  }

  /** The task as the server describes it now; undefined if it is out of reach, and will be asked again. */
  async #get(): Promise<JsonObject | undefined> {
    try {
      const described = await this.request('tasks/get');
      this.#failures = 0;
      return described;
    } catch (error) {
      throwIfAborted(this.call.signal);
      if (this.#work.result) return undefined;
      if (isUnknownTask(error)) {
        this.#leavesTask = true;
        throw new TaskLost(this.handle, error);
      }
      this.#leavesTask = !(error instanceof InvalidAnswer);
      if (!mayPass(error) || this.call.closing.aborted || ++this.#failures > MAX_FAILURES) throw error;
      this.#leavesTask = false;
      return undefined;
    }
  }

  #takeNotice(): JsonObject | undefined {
    const noticed = this.#noticed;
    this.#noticed = undefined;
    return noticed;
  }

  /** Remembers a state. Throws if the task cannot have come to it. */
  #accept(described: JsonObject): Task {
    const { handle } = this;
    const task = readSameTask(described, 'tasks/get', handle.taskId);
    if (isFinal(handle.status) && task.status !== handle.status)
      throw new InvalidAnswer(
        `the task ${task.taskId} was ${handle.status}, and now the server says that it is ${task.status}`,
      );
    delete handle.statusMessage;
    delete handle.pollIntervalMs;
    Object.assign(handle, task);
    this.#teller.tell(this.handle);
    return task;
  }

  /** Listens to the notices of the task, if the server sends some. */
  async #listen(): Promise<void> {
    const { taskId } = this.handle;
    const onReady = () => {
      this.#isListening = true;
      // It may have changed before the server listened.
      this.wake();
    };
    const filter = { notices: { taskIds: [taskId] } };
    try {
      for await (const change of this.call.changes(filter, { signal: this.over, onReady })) {
        if (change.kind === 'notice' && change.params.taskId === taskId) this.#notice(change.params);
      }
    } catch {
      // Then the task is polled.
    }
    this.#isListening = false;
  }

  /** A notice that lacks a part of the task says only that there is something to see. */
  #notice(described: JsonObject): void {
    this.#noticed = isDetailed(described) ? described : undefined;
    this.wake();
  }

  async #cancel(): Promise<void> {
    if (!this.#dialect.canCancel(this.call.description)) return;
    const limits = { timeoutMs: CANCEL_TIMEOUT_MS, maxTimeoutMs: CANCEL_TIMEOUT_MS };
    await this.request('tasks/cancel', {}, { signal: undefined, ...limits }).catch(() => {
      // The task has ended meanwhile, or the server cannot be told.
    });
  }

  #timeout(ms: number, what: string): RequestTimeout {
    const { taskId, tool, status } = this.handle;
    return new RequestTimeout(
      `the task ${taskId} of the tool ${tool} did not end within ${ms} ms${what}; it was last ${status}`,
    );
  }
}

/** Whether an error may be gone when the request is sent again. */
function mayPass(error: unknown): boolean {
  if (error instanceof McpError) return error.code === ERROR.internal || error.code === ERROR.busy;
  return isOutOfReach(error);
}

function ageOf({ createdAt, lastUpdatedAt }: Task): number {
  const age = Date.parse(lastUpdatedAt ?? '') - Date.parse(createdAt ?? '');
  return Math.max(age || 0, 0);
}
