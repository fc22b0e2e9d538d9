import { isObject, type JsonObject } from '../../base/json.js';
import { RateLimit } from '../../base/rate-limit.js';
import { Recent } from '../../base/recent.js';
import { MAX_TIMER_MS } from '../../base/timers.js';
import { ERROR, invalidParams, McpError, methodNotFound } from '../../protocol/errors.js';
import { type InputRequest, readInputAnswers } from '../../protocol/input.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import { RELATED_TASK } from '../../protocol/task.js';
import { createResultEncoder } from '../../revisions/encode.js';
import { findRevision, type Revision } from '../../revisions/index.js';
import { taskDialect } from '../../revisions/tasks.js';
import type { Context } from '../context/context.js';
import { type ExtensionMethod, method } from '../extensions/messages.js';
import { resultOf } from './admission.js';
import { type Answers, refusalByHand, withAnswers } from './answers.js';
import { failed } from './conclude.js';
import type { TaskEngine } from './engine.js';
import type { TaskEvents } from './events.js';
import { MAX_COUNTED_TASKS, MAX_POLL_BURST, MAX_POLLS_PER_SECOND, TASKS_PER_PAGE } from './limits.js';
import { type Asker, canList, isSameOwner, ownerOf } from './owner.js';
import { expiryOf, hasEnded, type TaskRecord, type TaskState, withEnd } from './record.js';
import { Refusal } from './refusal.js';
import type { TaskStore } from './store.js';
import { retryable } from './unavailable.js';
import { SHOW, showCoreTask } from './view.js';
import type { TaskWorker } from './worker.js';

export interface MethodOptions {
  readonly store: TaskStore;
  readonly events: TaskEvents;
  readonly engine: TaskEngine;
  readonly worker: TaskWorker;
  /** Whether a task belongs to a client that may still use its tool. */
  mayUse(record: TaskRecord, asker: Asker): Promise<boolean>;
}

/** Nothing is checked here, because an id that is malformed must look like one that is unknown. */
const ANYTHING = { type: 'object' } as const;

/** The requests about tasks, in both dialects. Which revision has which is decided before. */
export function taskMethods(get: () => MethodOptions): Readonly<Record<string, ExtensionMethod>> {
  let methods: TaskMethods | undefined;
  const answer = (run: (methods: TaskMethods, params: JsonObject, ctx: Context) => Promise<object>) =>
    method(ANYTHING, (params, ctx) => {
      const own = methods ?? new TaskMethods(get());
      methods = own;
      return retryable(() => run(own, params as JsonObject, ctx));
    });
  return {
    'tasks/get': answer((methods, { taskId }, ctx) => methods.get(taskId, ctx)),
    'tasks/update': answer((methods, params, ctx) => methods.update(params, ctx)),
    'tasks/cancel': answer((methods, { taskId }, ctx) => methods.cancel(taskId, ctx)),
    'tasks/result': answer((methods, { taskId }, ctx) => methods.result(taskId, ctx)),
    'tasks/list': answer((methods, { cursor }, ctx) => methods.list(cursor, ctx)),
  };
}

class TaskMethods {
  readonly #options: MethodOptions;
  /** How often each task was asked for lately. */
  readonly #polls = new Recent<RateLimit>(MAX_COUNTED_TASKS);

  constructor(options: MethodOptions) {
    this.#options = options;
  }

  async get(taskId: unknown, ctx: Context): Promise<object> {
    const state = await this.find(taskId, ctx);
    this.#countPoll(state.id);
    return SHOW[dialectOf(ctx)](state);
  }

  async update(params: JsonObject, ctx: Context): Promise<object> {
    const state = await this.find(params.taskId, ctx);
    const { responses } = readInputAnswers({ inputResponses: params.inputResponses });
    if (!responses) throw invalidParams('tasks/update needs inputResponses');
    await this.#answer(state, responses);
    return {};
  }

  async cancel(taskId: unknown, ctx: Context): Promise<object> {
    const { store } = this.#options;
    const { id } = await this.find(taskId, ctx);
    let status: string | undefined;
    const held = await store.change(id, record => {
      const { state } = record;
      if (hasEnded(state)) {
        status = state.status;
        return undefined;
      }
      status = undefined;
      return withEnd(record, { status: 'cancelled', message: 'the client cancelled the task' });
    });
    if (!held) throw unknownTask();
    if (status === undefined) await store.unlist(id);
    if (dialectOf(ctx) === 'extension') return {};
    if (status !== undefined) throw invalidParams(`the task cannot be cancelled: it has ended (${status})`);
    return showCoreTask(held.record.state);
  }

  /** Waits for the end of a task, and asks its questions meanwhile. */
  async result(taskId: unknown, ctx: Context): Promise<object> {
    const { id } = await this.find(taskId, ctx);
    const { events } = this.#options;
    await events.start();
    for (;;) {
      const changed = events.next(id, ctx.signal);
      const state = await this.find(id, ctx);
      if (hasEnded(state)) return relatedResult(state, ctx);
      if (ctx.signal.aborted) throw ctx.signal.reason;
      if (state.status === 'input_required') await this.#ask(state, ctx);
      else await changed;
    }
  }

  async list(cursor: unknown, ctx: Context): Promise<object> {
    if (!canList(ctx)) throw methodNotFound('tasks/list');
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const limit = TASKS_PER_PAGE;
    if (after !== undefined) {
      const last = await this.#options.store.read(after);
      if (!last || !isSameOwner(last.record.state.owner, ownerOf(ctx))) throw unknownCursor();
    }
    const states = await this.#options.store.list(ownerOf(ctx), { after, limit });
    const last = states.length === limit ? states.at(-1) : undefined;
    return { tasks: states.map(showCoreTask), ...(last && { nextCursor: writeCursor(last.id) }) };
  }

  /** The task with an id. Ids that are unknown, foreign, out of scope, expired or malformed are the same error. */
  async find(taskId: unknown, asker: Asker): Promise<TaskState> {
    const isId = typeof taskId === 'string' && ID.test(taskId);
    const { store, mayUse } = this.#options;
    const record = isId ? (await store.read(taskId))?.record : undefined;
    if (!record || !(await mayUse(record, asker))) throw unknownTask();
    return record.state;
  }

  /** Takes answers. Those to questions that are not open are ignored, because clients may send an answer twice. */
  async #answer({ id, status }: TaskState, responses: Answers): Promise<void> {
    const { store, engine, worker } = this.#options;
    await worker.start();
    // Once the answers are stored, no client sends them again: the task must not depend on this node any more.
    if (status === 'input_required') await worker.queueForLater(id);
    const held = await store.change(id, record => {
      const refusal = refusalByHand(record, responses);
      if (!refusal) return withAnswers(record, responses);
      return withEnd(record, failed(refusal, worker.concluding(worker.agreementOf(record.request))));
    });
    if (held && hasEnded(held.record.state)) await store.unlist(id);
    if (held?.record.state.status !== 'working') return;
    await engine.enqueue(id);
  }

  #countPoll(id: string): void {
    const limit = this.#polls.get(id) ?? new RateLimit(MAX_POLLS_PER_SECOND, MAX_POLL_BURST);
    this.#polls.set(id, limit);
    if (limit.take()) return;
    const data = { retryAfterMs: RETRY_AFTER_MS };
    throw new McpError(ERROR.busy, 'this task is asked for too often; wait for its poll interval', data);
  }

  /**
   * Asks the questions of a task. Resolves when they are answered, here or elsewhere. Another request may have asked them
   * before: its client may be gone, so they are asked again, and the first answer counts.
   */
  async #ask(state: TaskState, ctx: Context): Promise<void> {
    const { id, questions = {} } = state;
    const end = new AbortController();
    // A question is open as long as its task is kept.
    const timeoutMs = Math.min(Math.max(expiryOf(state) - Date.now(), 1), MAX_QUESTION_MS);
    const ask = async ([key, question]: [string, InputRequest]) => {
      const answer = ctx.ask(relate(question, id), { timeoutMs }).catch(Refusal.from);
      return [key, await answer] as const;
    };
    try {
      const answers = Promise.all(Object.entries(questions).map(ask));
      const answered = answers.then(all => this.#answer(state, new Map(all)));
      await Promise.race([answered, this.#untilClosed(state, ctx, end.signal)]);
    } finally {
      end.abort();
    }
  }

  /** Resolves when the questions of a task are not open any more. */
  async #untilClosed({ id, questions = {} }: TaskState, ctx: Context, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const changed = this.#options.events.next(id, signal);
      const { questions: open = {} } = await this.find(id, ctx);
      if (!Object.keys(questions).some(key => Object.hasOwn(open, key))) return;
      await changed;
    }
  }
}

const ID = /^[0-9a-f-]{36}$/;
const RETRY_AFTER_MS = 1000;
/** The longest time that a question waits for its answer: five times as much is the longest time of a timer. */
const MAX_QUESTION_MS = Math.floor(MAX_TIMER_MS / 5);

function dialectOf(ctx: Context): 'core' | 'extension' {
  return taskDialect(ctx.revision) ?? 'extension';
}

/** What the call itself would have returned, in its client's revision, with the task that it belongs to. */
function relatedResult(state: TaskState, ctx: Context): object {
  const encode = createResultEncoder(findRevision(ctx.revision) as Revision);
  const result = encode('tools/call', resultOf(state));
  const meta = { ...(isObject(result._meta) ? result._meta : {}), ...relatedTo(state.id) };
  return { ...result, _meta: meta, [OWN_RESULT]: true };
}

function relate(question: InputRequest, taskId: string): InputRequest {
  const { params } = question as { params?: JsonObject };
  const meta = { ...(isObject(params?._meta) ? params._meta : {}), ...relatedTo(taskId) };
  return { ...question, params: { ...params, _meta: meta } } as InputRequest;
}

function relatedTo(taskId: string): JsonObject {
  return { [RELATED_TASK]: { taskId } };
}

function writeCursor(id: string): string {
  return btoa(`task ${id}`);
}

function readCursor(cursor: unknown): string {
  let text = '';
  try {
    text = atob(String(cursor));
  } catch {
    // Not one of our cursors; the check below refuses it.
  }
  const id = text.slice('task '.length);
  if (!ID.test(id) || writeCursor(id) !== cursor) throw unknownCursor();
  return id;
}

function unknownTask(): McpError {
  return invalidParams('there is no such task of this caller, or its time is over');
}

function unknownCursor(): McpError {
  return invalidParams('unknown cursor');
}
