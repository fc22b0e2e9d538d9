import { inBackground } from '../../base/background.js';
import { UsageError } from '../../base/errors.js';
import { MAX_TIMER_MS } from '../../base/timers.js';
import { CLOSING_MS } from './limits.js';

/**
 * Decides when and where tasks run. An engine knows the ids of tasks only: their state is in the cluster. `tasks` has one
 * for a single process; `bullmq` of `tenon/bullmq` is one for many.
 */
export interface TaskEngine {
  /** Whether its queue outlives the process. Otherwise nodes of a cluster look for tasks of lost nodes themselves. */
  readonly isDurable: boolean;
  /** Called once, before anything else. Engines of servers with different names must not share a queue. */
  attach(server: string): void;
  /**
   * Has a task run soon, or after a delay. Durable when it resolves, if the engine is. A task that is running is run once
   * more afterwards; one that is queued already may be queued twice, but never runs later than it would have.
   */
  enqueue(taskId: string, options?: EnqueueOptions): Promise<void>;
  /**
   * Runs tasks until closed. A task whose worker died is given to another one; one whose handler throws is tried again,
   * bounded.
   */
  work(handler: EngineHandler, options: EngineWorkOptions): Promise<EngineWorker>;
  close(): Promise<void>;
}

/** How a task is queued. */
export interface EnqueueOptions {
  /** How long it waits before it may run. */
  delayMs?: number | undefined;
  /** Whether no node has begun it yet. The first run that comes of this is told. */
  isNew?: boolean | undefined;
  /** Whether it must run after the delay although it is queued for an earlier time, because it may change until then. */
  isSpare?: boolean | undefined;
}

/** Runs a task. It returns why the task was given up, if it was: an engine keeps that for its operators. */
export type EngineHandler = (run: EngineRun) => Promise<GivenUp | undefined>;

/** Why a task was given up. Its client knows already. */
export interface GivenUp {
  readonly reason: string;
}

/** How an engine works on a node. */
export interface EngineWorkOptions {
  /** How many tasks run at once. */
  concurrency: number;
  /** Told of errors of the engine itself, such as a connection that was lost. */
  onError(error: unknown): void;
}

/** One run of a task. */
export interface EngineRun {
  readonly taskId: string;
  /** Whether the task was queued as new, and no worker was given it since, not even one that is lost. */
  readonly isFirst: boolean;
  /** Whether the engine gives up if the handler throws. */
  readonly isLast: boolean;
  /** Aborts when the worker closes. */
  readonly signal: AbortSignal;
}

/** The part of an engine that runs tasks on this node. */
export interface EngineWorker {
  /** Aborts the running tasks, and resolves when they have stopped. */
  close(): Promise<void>;
}

const MAX_TRIES = 5;
const TRY_AGAIN_MS = 1000;

/**
 * Runs tasks in this process. Its queue is lost with the process; the tasks themselves are not, if they are in a cluster:
 * another node finds and takes them over.
 *
 * @example
 * const studio = tasks({ engine: inProcessEngine() });
 */
export function inProcessEngine(): TaskEngine {
  return new InProcessEngine();
}

interface Job {
  readonly taskId: string;
  readonly attempt: number;
  readonly isNew: boolean;
}

class InProcessEngine implements TaskEngine {
  readonly isDurable = false;
  /** By the ids of the tasks, as are those that wait for their time: clients can have a task queued many times. */
  readonly #waiting = new Map<string, Job>();
  readonly #delayed = new Map<string, { timer: ReturnType<typeof setTimeout>; at: number }>();
  readonly #running = new Set<Promise<void>>();
  #workers: { handler: EngineHandler; free: number; closing: AbortController }[] = [];
  #isAttached = false;

  attach(): void {
    if (this.#isAttached)
      throw new UsageError('each server needs an engine of its own: call inProcessEngine() again');
    this.#isAttached = true;
  }

  async enqueue(taskId: string, { delayMs = 0, isNew = false }: EnqueueOptions = {}): Promise<void> {
    this.#add({ taskId, attempt: 1, isNew }, delayMs);
  }

  async work(handler: EngineHandler, { concurrency }: EngineWorkOptions): Promise<EngineWorker> {
    const worker = { handler, free: concurrency, closing: new AbortController() };
    this.#workers.push(worker);
    this.#start();
    return {
      close: async () => {
        this.#workers = this.#workers.filter(other => other !== worker);
        worker.closing.abort(new Error('the worker closes'));
        // A store that is away must not keep the process alive.
        const patience = new Promise(resolve => inBackground(setTimeout(resolve, CLOSING_MS)));
        await Promise.race([Promise.all(this.#running), patience]);
      },
    };
  }

  async close(): Promise<void> {
    for (const { timer } of this.#delayed.values()) clearTimeout(timer);
    this.#delayed.clear();
    this.#waiting.clear();
  }

  #add(job: Job, delayMs: number): void {
    const { taskId } = job;
    if (delayMs <= 0) {
      this.#waiting.set(taskId, job);
      return this.#start();
    }
    const at = Date.now() + delayMs;
    const before = this.#delayed.get(taskId);
    if (before && before.at <= at) return;
    clearTimeout(before?.timer);
    const add = () => {
      this.#delayed.delete(taskId);
      this.#add(job, 0);
    };
    const timer = inBackground(setTimeout(add, Math.min(delayMs, MAX_TIMER_MS)));
    this.#delayed.set(taskId, { timer, at });
  }

  #start(): void {
    for (const worker of this.#workers) {
      while (worker.free > 0) {
        const [job] = this.#waiting.values();
        if (!job) return;
        this.#waiting.delete(job.taskId);
        worker.free--;
        const running = this.#run(job, worker.handler, worker.closing.signal).then(() => {
          worker.free++;
          this.#running.delete(running);
          this.#start();
        });
        this.#running.add(running);
      }
    }
  }

  async #run(job: Job, handler: EngineHandler, signal: AbortSignal): Promise<void> {
    try {
      // A handler that throws at once must not throw into the code that queues.
      await undefined;
      const { taskId, attempt, isNew } = job;
      await handler({ taskId, isFirst: isNew && attempt === 1, isLast: attempt >= MAX_TRIES, signal });
    } catch {
      const attempt = job.attempt + 1;
      if (attempt <= MAX_TRIES && !signal.aborted)
        this.#add({ ...job, attempt }, TRY_AGAIN_MS * 2 ** job.attempt);
    }
  }
}
