import { UsageError } from '../../base/errors.js';
import { isCount, isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import type { Result } from '../../protocol/call.js';
import { ERROR, invalidParams, McpError, missingCapability } from '../../protocol/errors.js';
import type { TaskMode } from '../../protocol/task.js';
import { TASKS_ID } from '../../protocol/task.js';
import { type TaskDialect, taskDialect } from '../../revisions/tasks.js';
import { ClusterUnavailable } from '../cluster/failures.js';
import type { MiddlewareCall, Next } from '../middleware.js';
import { Attempt, type AttemptOptions } from './attempt.js';
import type { TaskEngine } from './engine.js';
import { AUTO_AFTER_MS } from './limits.js';
import { ownerOf } from './owner.js';
import {
  createRecord,
  hasEnded,
  NOT_BEGUN,
  type Owner,
  type RunState,
  type TaskState,
  withEnd,
} from './record.js';
import { resume } from './resume.js';
import { showHandle } from './show-handle.js';
import type { Held } from './store.js';
import { toRequest } from './to-request.js';
import { writeToken } from './token.js';
import { retryable } from './unavailable.js';

export interface AdmissionOptions extends AttemptOptions {
  readonly engine: TaskEngine;
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  /** How many tasks an owner may have. */
  limitFor(owner: Owner): number;
  /** The option `task` of a tool; undefined if there is no such tool. */
  modeOf(tool: unknown): TaskMode | undefined;
}

/** Decides whether a call of a tool becomes a task, by the option of the tool and by what the client knows. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  handle(call: MiddlewareCall, next: Next): Promise<Result> {
    const mode = this.#options.modeOf(call.params.name);
    // A task that runs has been admitted before.
    if (mode === undefined || call.task) return next();
    const dialect = taskDialect(call.revision);
    const tool = quoteBriefly(call.params.name);
    if (dialect === 'core' && call.params.task !== undefined) {
      if (mode === 'never') throw refusal(`tool ${tool} cannot be called as a task`);
      return this.#create(call, next, dialect, this.#readTtl(call.params.task)).catch(asError);
    }
    if (mode === 'never') return next();
    if (dialect === 'core' && mode === 'always') throw refusal(`tool ${tool} can only be called as a task`);
    if (dialect !== 'extension') return this.#wait(call, next);
    if (call.extension(TASKS_ID)) {
      if (mode === 'always') return this.#create(call, next, dialect, this.#options.ttlMs);
      const afterMs = mode === 'auto' ? AUTO_AFTER_MS : mode.after;
      return new Attempt(call, this.#options, (run, message) => this.#store(call, run, { message })).run(
        next,
        afterMs,
      );
    }
    if (mode === 'always') throw missingCapability(`calling ${tool}`, `extensions.${TASKS_ID}`);
    return this.#wait(call, next);
  }

  /** Creates a task instead of running the handler, which the engine does. */
  #create(call: MiddlewareCall, next: Next, dialect: TaskDialect, ttlMs: number): Promise<Result> {
    const create = async () => {
      const { engine, events, worker, store } = this.#options;
      await events.start();
      // Before the task is there: a client that is refused may call again.
      await worker.start();
      const held = await this.#store(call, worker.reserve(resume(call)), { ttlMs });
      const { state } = held.record;
      await engine.enqueue(state.id, { isNew: true }).catch(error => store.takeBack(held, error));
      return showHandle(state, dialect);
    };
    return next({ replace: () => ({ instead: () => retryable(create) }) });
  }

  /** Runs the handler for a client that knows no tasks. If the handler defers the work, the client waits for its end. */
  async #wait(call: MiddlewareCall, next: Next): Promise<Result> {
    let created: Promise<Held> | undefined;
    const task = {
      id: undefined,
      defer: async () => {
        created ??= this.#store(call, { ...NOT_BEGUN, secret: crypto.randomUUID(), isDeferred: true });
        return writeToken(this.#options.store.server, (await created).record);
      },
    };
    const result = await next({ replace: () => ({ task }) });
    if (!created) return result;
    const { id } = (await created).record.state;
    return this.#end(id, call.signal);
  }

  async #end(id: string, signal: AbortSignal): Promise<Result> {
    const { store, events } = this.#options;
    for (;;) {
      const changed = events.next(id, signal);
      const state = await this.#look(id).catch(unlessAway);
      if (state === 'gone') throw new McpError(ERROR.internal, 'the work took too long, and was given up');
      if (state && hasEnded(state)) return resultOf(state);
      if (signal.aborted) {
        await store.change(id, record =>
          hasEnded(record.state) ? undefined : withEnd(record, { status: 'cancelled' }),
        );
        throw signal.reason;
      }
      await changed;
    }
  }

  async #look(id: string): Promise<TaskState | 'gone'> {
    const { store, events } = this.#options;
    await events.start();
    return (await store.read(id))?.record.state ?? 'gone';
  }

  async #store(
    call: MiddlewareCall,
    run: RunState,
    options: { ttlMs?: number; message?: string | undefined } = {},
  ): Promise<Held> {
    const { store, events, limitFor, ttlMs } = this.#options;
    const owner = ownerOf(call);
    const record = createRecord(toRequest(call), owner, { ttlMs, ...options, run });
    if (call.session) events.belongs(record.state.id, call.session);
    return store.create(record, limitFor(owner));
  }

  /** The time that a client of 2025-11-25 wants a task to be kept. */
  #readTtl(task: unknown): number {
    const { ttlMs, maxTtlMs } = this.#options;
    if (!isObject(task)) throw invalidParams('task must be an object');
    // The official client sends null for a task that is kept as long as possible.
    const { ttl = ttlMs } = task;
    if (ttl === null) return maxTtlMs;
    if (!isCount(ttl)) throw invalidParams('task.ttl must be a whole number of milliseconds');
    return Math.min(Math.max(ttl, 1), maxTtlMs);
  }
}

/** Throws if the option `task` of a tool is malformed. */
export function checkMode(mode: unknown, tool: string): void {
  if (mode === 'never' || mode === 'auto' || mode === 'always') return;
  if (isObject(mode) && Object.keys(mode).join() === 'after' && isCount(mode.after)) return;
  throw new UsageError(
    `task of tool "${tool}" must be "never", "auto", "always" or { after: milliseconds }, not ${quoteBriefly(mode)}`,
  );
}

/** The client waits on while the store is away: to be refused would mean that the handler has not begun. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof ClusterUnavailable)) throw error;
}

/** The result or the error of a task that has ended. */
export function resultOf({ result, error }: TaskState): JsonObject {
  if (result) return result;
  if (error) throw new McpError(error.code, error.message, error.data);
  throw new McpError(ERROR.internal, 'the task was cancelled');
}

/** Arguments that do not fit are a result of other calls, but a call as a task has no result beside the task. */
function asError(thrown: unknown): never {
  const isOfArguments = thrown instanceof McpError && thrown.reason === 'invalid-arguments';
  throw isOfArguments ? invalidParams(thrown.message, thrown.data) : thrown;
}

/** The revision has no capability for tasks of a tool, so the error is that the method does not exist in this form. */
function refusal(message: string): McpError {
  return new McpError(ERROR.methodNotFound, message);
}
