import { onAbort } from '../../base/abort.js';
import { inBackground } from '../../base/background.js';
import { Cancelled } from '../../base/errors.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { LocalService } from '../../protocol/service.js';
import { Agreement } from '../../revisions/agreement.js';
import { findRevision } from '../../revisions/index.js';
import { type Charge, releaseAfter } from '../charge.js';
import { NoRoom } from '../ledger.js';
import { RETRY_AFTER_MS } from '../limits.js';
import { type ConcludeOptions, conclude, withFailure } from './conclude.js';
import { msUntilExpiry, withExpiry } from './deadlines.js';
import type { EngineRun, EngineWorker, GivenUp, TaskEngine } from './engine.js';
import type { TaskEvents } from './events.js';
import type { Leases } from './leases.js';
import { CLOSING_MS, MAX_ATTEMPTS } from './limits.js';
import type { TaskMemory } from './memory.js';
import { expiryOf, hasEnded, type RunState, type TaskRecord, type TaskRequest, withRun } from './record.js';
import { NODE_CLOSES, TaskRun } from './run.js';
import type { Created, Held, TaskStore } from './store.js';

export interface WorkerOptions {
  readonly store: TaskStore;
  readonly events: TaskEvents;
  readonly engine: TaskEngine;
  readonly leases: Leases;
  readonly memory: TaskMemory;
  readonly leaseMs: number;
  readonly concurrency: number;
  /** Whether this node works at all. */
  works(): boolean;
  readonly maxResultBytes: number;
  /** Whether the queue is lost with the process, so that nodes have to look for tasks of others. */
  readonly recovers: boolean;
  readonly service: LocalService;
}

/** A task whose first run begins with the lease that it was created with. */
interface Reserved {
  /** The name of the run. */
  readonly id: string;
  /** When the lease was granted, by the clock of `performance`. */
  readonly at: number;
  readonly held: Held;
}

/** Runs the handlers of tasks on this node: new ones, those whose questions were answered, and those of lost nodes. */
export class TaskWorker {
  readonly #options: WorkerOptions;
  #worker: Promise<EngineWorker> | undefined;
  #recovery: ReturnType<typeof setInterval> | undefined;
  /** Runs that began as ordinary calls, so that the engine does not know them, and their ends. */
  readonly #adopted = new Map<TaskRun, Promise<void>>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { engine, concurrency, works, events, leaseMs, recovers, service } = this.#options;
    if (concurrency === 0 || !works()) return;
    if (recovers) events.onOffer = () => this.#recover();
    this.#worker ??= engine.work(run => this.#work(run), {
      concurrency,
      onError: error => service.report(error, 'the engine of tasks'),
    });
    if (recovers) this.#recovery ??= inBackground(setInterval(() => this.#recover(), leaseMs));
    await this.#worker.catch(error => {
      this.#worker = undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    const { events, store, recovers } = this.#options;
    clearInterval(this.#recovery);
    this.#recovery = undefined;
    events.onOffer = undefined;
    for (const run of this.#adopted.keys()) run.stop(NODE_CLOSES);
    const patience = new Promise(resolve => inBackground(setTimeout(resolve, CLOSING_MS)));
    await Promise.all([
      (await this.#worker)?.close(),
      Promise.race([Promise.all(this.#adopted.values()), patience]),
    ]);
    this.#worker = undefined;
    // The queue of this node ends with it, so the others have to look for its tasks.
    if (recovers) await store.offer();
  }

  /** Takes a run that began as an ordinary call and is a task now, so that it is handed over when this node closes. */
  adopt(run: TaskRun, ended: Promise<void>): void {
    this.#adopted.set(run, ended);
    void ended.then(() => this.#adopted.delete(run));
  }

  /** The start of a task that is created, with the lease for its first run, if this node may get that. */
  reserve(start: RunState): RunState {
    const { engine, leases } = this.#options;
    // The queue of an engine that is not durable is lost with this node: then the others must not wait for it.
    if (!this.#worker || !engine.isDurable) return start;
    return { ...start, lease: leases.reserve(), attempts: start.attempts + 1 };
  }

  /** Has a task come up again after the time of a lease, in case this node is lost before it can queue the task. */
  async queueForLater(taskId: string): Promise<void> {
    const { engine, leaseMs, recovers } = this.#options;
    if (!recovers) await engine.enqueue(taskId, { delayMs: leaseMs, isSpare: true });
  }

  /** What the two sides of a task agreed on when it was created. */
  agreementOf({ revision: name, client }: TaskRequest): Agreement {
    const { service } = this.#options;
    const revision = findRevision(name);
    if (!revision)
      throw new McpError(ERROR.internal, `the task needs revision ${name}, which this server does not know`);
    return new Agreement(revision, client.capabilities, service.capabilities(), service.claims);
  }

  /** Follows a task that a run holds: stops the run when the task ends elsewhere. Returns a function that ends this. */
  follow(id: string, run: TaskRun): () => void {
    return this.#options.events.watch(id, state => {
      if (hasEnded(state))
        run.stop(
          new Cancelled(state.status === 'cancelled' ? 'the task was cancelled' : 'the task has ended'),
        );
    });
  }

  /** How a run of this node is concluded. */
  concluding(agreement: Agreement): ConcludeOptions {
    const { engine, store, maxResultBytes, service } = this.#options;
    return {
      agreement,
      maxResultBytes,
      requeue: id => engine.enqueue(id),
      expires: (id, delayMs) => engine.enqueue(id, { delayMs: delayMs + 1 }),
      ended: id => store.unlist(id),
      report: service.report,
    };
  }

  async #work(given: EngineRun): Promise<GivenUp | undefined> {
    const { taskId, isFirst, isLast } = given;
    const remembered = this.#options.store.takeCreated(taskId);
    // What this node knows is old if another one had the task meanwhile, and the message about that may be late.
    const created = isFirst ? remembered : undefined;
    const reserved = created && this.#startReserved(created);
    const id = reserved?.id ?? crypto.randomUUID();
    try {
      return await this.#run(given, id, created?.held, reserved);
    } catch (error) {
      if (error instanceof NoRoom && error.status !== 413) {
        await this.#options.engine.enqueue(taskId, { delayMs: RETRY_AFTER_MS, isNew: isFirst });
        return undefined;
      }
      this.#options.service.report(error, 'the run of a task');
      if (isLast) await this.#fail(taskId, id, McpError.from(error));
      throw error;
    }
  }

  /**
   * The task with the lease that was reserved for its first run, which this is, so that no other node has got the task. The
   * lease must be young enough to be renewed in time, whatever other clocks say.
   */
  #startReserved({ held, at }: Created): Reserved | undefined {
    const { record, version } = held;
    const { lease } = record.run;
    const isYoung = performance.now() - at < this.#options.leaseMs / 3;
    if (!lease?.isReserved || !isYoung || expiryOf(record.state) <= Date.now()) return undefined;
    const own = withRun(record, { lease: { run: lease.run, until: lease.until } });
    return { id: lease.run, at, held: { record: own, version } };
  }

  async #run(
    { taskId, isFirst, signal }: EngineRun,
    id: string,
    created: Held | undefined,
    reserved: Reserved | undefined,
  ): Promise<GivenUp | undefined> {
    const { store, leaseMs, service } = this.#options;
    const known = created ?? (await store.read(taskId));
    const charge = known && this.#charge(known.record, isFirst);
    let run: TaskRun | undefined;
    try {
      const begun = reserved?.held ?? (await this.#begin(taskId, { id, isFirst }, known));
      if (!begun || 'reason' in begun) return begun;
      const { request, run: start } = begun.record;
      const agreement = await this.#agreementOrFail(begun.record);
      if (!agreement) return undefined;
      run = new TaskRun(request, start, { id, store, agreement, leaseMs, warn: service.warn });
      run.hold(begun, reserved?.at);
      await this.#execute(taskId, run, agreement, signal);
    } finally {
      if (run?.isHandling && charge) releaseAfter(run.handled, charge);
      else charge?.release();
    }
    return undefined;
  }

  /** Books the memory for a run, if this node may run the task. Throws if there is none. */
  #charge(record: TaskRecord, isFirst: boolean): Charge | undefined {
    const { memory } = this.#options;
    const { state, request, run } = record;
    return this.#mayTake(withExpiry(record), isFirst) ? memory.charge(state.owner, request, run) : undefined;
  }

  /** Takes the lease of a task. Undefined if the task must not run here and now, or a reason if it was given up. */
  async #begin(
    taskId: string,
    { id, isFirst }: { id: string; isFirst: boolean },
    known: Held | undefined,
  ): Promise<Held | GivenUp | undefined> {
    const { store, leases, leaseMs, engine, recovers } = this.#options;
    let isUnknown = false;
    const take = (record: TaskRecord) => {
      const { lease, isTentative } = record.run;
      isUnknown = isTentative === true && leases.isOver(taskId, lease);
      // Ended first and removed then: its node may confirm it meanwhile, and only one of both may succeed.
      return isUnknown ? withFailure(record, neverKnown()) : this.#take(record, id, isFirst);
    };
    const held = known && (await store.change(taskId, take, known));
    if (isUnknown) {
      await store.remove(taskId);
      return undefined;
    }
    if (!held || hasEnded(held.record.state)) {
      await store.unlist(taskId);
      return held && givenUp(held.record);
    }
    const { lease } = held.record.run;
    if (lease?.run === id) return held;
    // Another node has it. If that one is lost, the task has to come up again.
    const untilOver = lease ? Math.max(lease.until - Date.now(), 0) + 1 : 0;
    const delayMs = Math.min(untilOver, leaseMs);
    const expiresInMs = msUntilExpiry(held.record);
    if (isRunnable(held.record) && !recovers) await engine.enqueue(taskId, { delayMs });
    else if (expiresInMs !== undefined && !recovers)
      await engine.enqueue(taskId, { delayMs: expiresInMs + 1 });
    return undefined;
  }

  /** Runs the handler, and writes down how it ended. */
  async #execute(taskId: string, run: TaskRun, agreement: Agreement, signal: AbortSignal): Promise<void> {
    const stopFollowing = this.follow(taskId, run);
    const stopListening = onAbort(signal, () => run.stop(NODE_CLOSES));
    try {
      const outcome = await run.run(() => this.#options.service.handle(run.call));
      // The end of the task is news to this node, too, and would abort a handler that has ended.
      stopFollowing();
      await conclude(run, outcome, this.concluding(agreement));
    } finally {
      stopFollowing();
      stopListening();
    }
  }

  /** Ends a task that the engine does not try again, unless another node has it. */
  async #fail(taskId: string, id: string, error: McpError): Promise<void> {
    const { store, leases } = this.#options;
    await store.change(taskId, record => {
      const { lease } = record.run;
      const isOurs = lease?.run === id || leases.isOver(taskId, lease);
      return isRunnable(record) && isOurs ? withFailure(record, error) : undefined;
    });
    await store.unlist(taskId);
  }

  /** What the two sides agreed on. A task of a revision that this version does not know fails. */
  async #agreementOrFail({ state, request }: TaskRecord): Promise<Agreement | undefined> {
    try {
      return this.agreementOf(request);
    } catch (error) {
      await this.#options.store.change(state.id, record => withFailure(record, McpError.from(error)));
      return undefined;
    }
  }

  /** The record with a lease for a run; undefined if the task must not run here and now. */
  #take(stored: TaskRecord, run: string, isFirst: boolean): TaskRecord | undefined {
    const { leases } = this.#options;
    const record = withExpiry(stored);
    const { attempts, lease } = record.run;
    if (!this.#mayTake(record, isFirst)) return record === stored ? undefined : record;
    // A lease that was reserved is counted already.
    if (isFirst && lease?.isReserved) return withRun(record, { lease: leases.grant(run) });
    if (attempts >= MAX_ATTEMPTS) return withFailure(record, gaveUp());
    return withRun(record, { lease: leases.grant(run), attempts: attempts + 1 });
  }

  /** `isFirst` means that no node was given the task before. */
  #mayTake(record: TaskRecord, isFirst: boolean): boolean {
    const { lease, isTentative } = record.run;
    if (!isRunnable(record) || isTentative) return false;
    return (isFirst && lease?.isReserved) || this.#options.leases.isOver(record.state.id, lease);
  }

  /** Looks for tasks whose node is lost. */
  async #recover(): Promise<void> {
    const { store, leases, engine, service } = this.#options;
    try {
      for await (const id of store.unfinished()) {
        const held = await store.read(id);
        if (!held || hasEnded(held.record.state)) await store.unlist(id);
        else if (isDue(held.record) && leases.isOver(id, held.record.run.lease)) await engine.enqueue(id);
      }
    } catch (error) {
      service.report(error, 'the search for tasks of lost nodes');
    }
  }
}

/** Whether a task needs a node: it has not ended, and waits for nobody. */
function isRunnable({ state, run }: TaskRecord): boolean {
  return state.status === 'working' && !run.isDeferred;
}

/** Whether a task needs a node now, or would if the time for its questions were counted. */
function isDue(record: TaskRecord): boolean {
  return isRunnable(record) || msUntilExpiry(record) === 0;
}

/** Why a task was given up, if it was: also for the next process, if this one dies before the engine knows. */
function givenUp({ state }: TaskRecord): GivenUp | undefined {
  const reason = gaveUp().message;
  return state.status === 'failed' && state.message === reason ? { reason } : undefined;
}

function neverKnown(): McpError {
  return new McpError(ERROR.internal, 'the node of the task was lost before its client knew of the task');
}

function gaveUp(): McpError {
  return new McpError(
    ERROR.internal,
    `the task was given up: it was begun ${MAX_ATTEMPTS} times, and its node was lost each time before it came any further`,
  );
}
