import { onAbort } from '../../base/abort.js';
import { Cancelled, UsageError } from '../../base/errors.js';
import { isCount, isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import type { Result } from '../../protocol/call.js';
import { extensionSettings } from '../../protocol/capabilities.js';
import { ERROR, invalidParams, McpError, missingCapability } from '../../protocol/errors.js';
import type { InputResponse } from '../../protocol/input.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import type { LocalService } from '../../protocol/service.js';
import type { TaskMode } from '../../protocol/task.js';
import { type TaskDialect, taskDialect } from '../../revisions/tasks.js';
import type { MiddlewareCall, Next } from '../middleware.js';
import { Journal } from '../modern/journal.js';
import { overlay } from '../overlay.js';
import { TaskCall } from './call.js';
import { conclude } from './conclude.js';
import type { TaskEngine } from './engine.js';
import type { TaskEvents } from './events.js';
import { TASKS_ID } from './id.js';
import type { Leases } from './leases.js';
import { AUTO_AFTER_MS } from './limits.js';
import { ownerOf } from './owner.js';
import {
  type AskedByHand,
  createRecord,
  hasEnded,
  type RunState,
  type TaskRequest,
  withState,
} from './record.js';
import { type Outcome, TaskRun } from './run.js';
import type { Held, TaskStore } from './store.js';
import { writeToken } from './token.js';
import { showCoreTask, showHandle } from './view.js';
import type { TaskWorker } from './worker.js';

export interface AdmissionOptions {
  readonly store: TaskStore;
  readonly events: TaskEvents;
  readonly engine: TaskEngine;
  readonly leases: Leases;
  readonly worker: TaskWorker;
  readonly leaseMs: number;
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly recovers: boolean;
  limitFor(owner: ReturnType<typeof ownerOf>): number;
  modeOf(tool: unknown): TaskMode | undefined;
  readonly service: LocalService;
}

const NOTHING: RunState = { journal: [], passesBefore: 0, passes: 0, attempts: 0 };

/** Decides whether a call of a tool becomes a task, by the option of the tool and by what the client knows. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  handle(call: MiddlewareCall, next: Next): Promise<Result> {
    const mode = this.#options.modeOf(call.params.name);
    // A task that runs has been admitted before.
    if (mode === undefined || call instanceof TaskCall) return next();
    const dialect = taskDialect(call.revision);
    const tool = quoteBriefly(call.params.name);
    if (dialect === 'core' && call.params.task !== undefined) {
      if (mode === 'never') throw refusal(`tool ${tool} cannot be called as a task`);
      return this.#create(call, next, dialect, this.#readTtl(call.params.task));
    }
    if (mode === 'never') return next();
    if (dialect === 'core' && mode === 'always') throw refusal(`tool ${tool} can only be called as a task`);
    if (dialect !== 'extension') return this.#wait(call, next);
    if (extensionSettings(call.client.capabilities, TASKS_ID)) {
      if (mode === 'always') return this.#create(call, next, dialect, this.#options.ttlMs);
      return this.#try(call, next, mode === 'auto' ? AUTO_AFTER_MS : mode.after);
    }
    if (mode === 'always') throw missingCapability(`calling ${tool}`, `extensions.${TASKS_ID}`);
    return this.#wait(call, next);
  }

  /** Creates a task instead of running the handler, which the engine does. */
  #create(call: MiddlewareCall, next: Next, dialect: TaskDialect, ttlMs: number): Promise<Result> {
    const instead = async () => {
      const { engine, events, worker } = this.#options;
      await events.start();
      const held = await this.#store(call, { ttlMs, run: resume(call) });
      const { state } = held.record;
      await engine.enqueue(state.id);
      await worker.start();
      return handleOf(held, dialect);
    };
    return next({ call: overlay(call, { instead }) });
  }

  /** Runs the handler, and makes a task of it if it takes too long. */
  async #try(call: MiddlewareCall, next: Next, afterMs: number): Promise<Result> {
    const { store, worker, leaseMs, events } = this.#options;
    const request = toRequest(call);
    const agreement = worker.agreementOf(request);
    let promote: () => void = () => {};
    const promoted = new Promise<undefined>(resolve => {
      promote = () => resolve(undefined);
    });
    let held: Promise<Held | undefined> | undefined;
    const run: TaskRun = new TaskRun(request, resume(call), {
      store,
      agreement,
      leaseMs,
      warn: call.warn.bind(call),
      original: call,
      promote: async () => {
        held ??= this.#promote(call, run);
        promote();
        if (!(await held))
          throw new McpError(ERROR.internal, 'no task could be created, so none can be deferred');
      },
    });
    const stopListening = onAbort(call.signal, () =>
      run.stop(new Cancelled('the client cancelled the request')),
    );
    const timer = setTimeout(promote, afterMs);
    let outcome: Outcome | undefined;
    const running = run
      .run(() => next({ fresh: run.call }))
      .then(ended => {
        outcome = ended;
        return ended;
      });
    await Promise.race([running, promoted]);
    clearTimeout(timer);
    held ??= outcome ? undefined : this.#promote(call, run);
    const created = await held;
    if (!created) return answerWith(outcome ?? (await running), run);
    stopListening();
    const { id } = created.record.state;
    if (outcome && !run.isDeferred) {
      // It ended while the task was being stored, and its client does not know of the task yet.
      await store.remove(id);
      return answerWith(outcome, run);
    }
    const stopFollowing = worker.follow(id, run);
    await events.start();
    void running
      .then(ended => conclude(run, ended, worker.concluding(agreement)))
      .catch(error => this.#options.service.report(error, 'the end of a task'))
      .finally(stopFollowing);
    return handleOf(created, 'extension');
  }

  /** Makes a task of a running call. Undefined if that is not possible now: then the client waits for the result. */
  async #promote(call: MiddlewareCall, run: TaskRun): Promise<Held | undefined> {
    const { leases, ttlMs, recovers, engine, leaseMs, service } = this.#options;
    try {
      const lease = leases.grant(run.id);
      const held = await this.#store(call, {
        ttlMs,
        run: { ...NOTHING, ...run.progress, lease, attempts: 1 },
        message: run.message,
      });
      // If this node is lost, the task has to come up again.
      if (!recovers) await engine.enqueue(held.record.state.id, { delayMs: leaseMs });
      run.hold(held);
      return held;
    } catch (error) {
      service.report(error, 'a call that could not become a task');
      return undefined;
    }
  }

  /** Runs the handler for a client that knows no tasks. If the handler defers the work, the client waits for its end. */
  async #wait(call: MiddlewareCall, next: Next): Promise<Result> {
    let created: Promise<Held> | undefined;
    const task = {
      id: undefined,
      defer: async () => {
        const run = { ...NOTHING, secret: crypto.randomUUID(), isDeferred: true };
        created ??= this.#store(call, { ttlMs: this.#options.ttlMs, run });
        return writeToken(this.#options.store.server, (await created).record);
      },
    };
    const result = await next({ call: overlay(call, { task }) });
    return created ? this.#end((await created).record.state.id, call.signal) : result;
  }

  async #end(id: string, signal: AbortSignal): Promise<Result> {
    const { store, events } = this.#options;
    await events.start();
    for (;;) {
      const changed = events.next(id, signal);
      const state = (await store.read(id))?.record.state;
      if (!state) throw new McpError(ERROR.internal, 'the work took too long, and was given up');
      if (hasEnded(state)) return resultOf(state);
      if (signal.aborted) {
        await store.change(id, record =>
          hasEnded(record.state) ? undefined : withState(record, { status: 'cancelled' }),
        );
        throw signal.reason;
      }
      await changed;
    }
  }

  async #store(
    call: MiddlewareCall,
    options: { ttlMs: number; run: RunState; message?: string | undefined },
  ): Promise<Held> {
    const { store, events, limitFor } = this.#options;
    const owner = ownerOf(call);
    const record = createRecord(toRequest(call), owner, options);
    if (call.session) events.belongs(record.state.id, call.session);
    return store.create(record, limitFor(owner));
  }

  /** The time that a client of 2025-11-25 wants a task to be kept. */
  #readTtl(task: unknown): number {
    const { ttlMs, maxTtlMs } = this.#options;
    if (!isObject(task)) throw invalidParams('task must be an object');
    const { ttl = ttlMs } = task;
    if (!isCount(ttl)) throw invalidParams('task.ttl must be a whole number of milliseconds');
    return Math.min(Math.max(ttl, 1), maxTtlMs);
  }
}

/** Throws if the option `task` of a tool is malformed. */
export function checkMode(mode: unknown, tool: string): void {
  if (mode === undefined || mode === 'never' || mode === 'auto' || mode === 'always') return;
  if (isObject(mode) && Object.keys(mode).join() === 'after' && isCount(mode.after)) return;
  throw new UsageError(
    `task of tool "${tool}" must be "never", "auto", "always" or { after: milliseconds }, not ${quoteBriefly(mode)}`,
  );
}

/** The result or the error of a task that has ended. */
export function resultOf(state: {
  result?: JsonObject | undefined;
  error?: { code: number; message: string; data?: unknown } | undefined;
}): JsonObject {
  const { result, error } = state;
  if (result) return result;
  if (error) throw new McpError(error.code, error.message, error.data);
  throw new McpError(ERROR.internal, 'the task was cancelled');
}

function handleOf({ record }: Held, dialect: TaskDialect): Result {
  const { state } = record;
  return dialect === 'core'
    ? { task: showCoreTask(state), [OWN_RESULT]: true }
    : { ...showHandle(state), resultType: 'task', [OWN_RESULT]: true };
}

function toRequest(call: MiddlewareCall): TaskRequest {
  const { params, revision, client, caller, meta } = call;
  const { _meta, task, inputResponses, requestState, ...own } = params;
  return { params: own, meta, revision, client, caller };
}

/** The beginning of our own states: a handler that asks by hand has states, too. */
const OWN_STATE = 'task:';

/** The state at the end of an earlier round of the same request, with the answers. It was sealed on its way. */
function resume({ requestState, inputResponses = new Map() }: MiddlewareCall): RunState {
  if (requestState === undefined && inputResponses.size === 0) return NOTHING;
  if (!requestState?.startsWith(OWN_STATE)) {
    const answers = Object.fromEntries(inputResponses);
    return { ...NOTHING, byHand: { state: requestState, names: {}, answers } };
  }
  const { journal, passes, byHand } = JSON.parse(requestState.slice(OWN_STATE.length)) as RunState;
  const known = new Journal(journal);
  known.answer(inputResponses);
  const answered = byHand && withAnswers(byHand, inputResponses);
  return { ...NOTHING, journal: known.entries, passesBefore: passes, passes, byHand: answered };
}

function withAnswers(byHand: AskedByHand, responses: ReadonlyMap<string, InputResponse>): AskedByHand {
  const answers: Record<string, InputResponse> = { ...byHand.answers };
  for (const [key, name] of Object.entries(byHand.names)) {
    const response = responses.get(key);
    if (response) answers[name] = response;
  }
  return { ...byHand, answers };
}

/** The response to a request that did not become a task. */
function answerWith(outcome: Outcome, run: TaskRun): Result {
  switch (outcome.kind) {
    case 'result':
      return outcome.result;
    case 'error':
      throw outcome.thrown;
    case 'stopped':
      throw run.signal.reason;
    case 'asked':
      return ask(outcome.questions, run.progress);
    case 'asked-by-hand': {
      const { inputRequests = {}, requestState } = outcome.asked;
      const names = Object.fromEntries(Object.keys(inputRequests).map(name => [name, name]));
      const answers = run.progress.byHand?.answers ?? {};
      return ask(inputRequests, { ...run.progress, byHand: { state: requestState, names, answers } });
    }
  }
}

function ask(inputRequests: object, { journal, passes, byHand }: RunState): Result {
  const state = OWN_STATE + JSON.stringify({ journal, passes, byHand });
  return { resultType: 'input_required', inputRequests, requestState: state };
}

/** The revision has no capability for tasks of a tool, so the error is that the method does not exist in this form. */
function refusal(message: string): McpError {
  return new McpError(ERROR.methodNotFound, message);
}
