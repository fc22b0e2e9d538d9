import { inBackground } from '../../base/background.js';
import { MAX_TIMER_MS } from '../../base/timers.js';

/**
 * Decides when and where tasks run. An engine knows the ids of tasks only: their state is in the cluster. `tasks` has one
 * for a single process.
 */
export interface TaskEngine {
  /** Has a task run soon, or after a delay. Durable when it resolves. A task that is queued already may be queued twice. */
  enqueue(taskId: string, options?: { delayMs?: number | undefined }): Promise<void>;
  /**
   * Runs tasks until closed. A task whose worker died is given to another one; one whose handler throws is tried again,
   * bounded.
   */
  work(handler: (run: EngineRun) => Promise<void>, options: { concurrency: number }): Promise<EngineWorker>;
  close(): Promise<void>;
}

/** One run of a task. */
export interface EngineRun {
  readonly taskId: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts when the worker closes, or has lost the task. */
  readonly signal: AbortSignal;
}

/** The part of an engine that runs tasks on this node. */
export interface EngineWorker {
  /** Aborts the running tasks, and resolves when they have stopped. */
  close(): Promise<void>;
}

const MAX_TRIES = 5;
const TRY_AGAIN_MS = 1000;
const CLOSING_MS = 5000;

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
}

class InProcessEngine implements TaskEngine {
  readonly #waiting: Job[] = [];
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #workers: { handler: (run: EngineRun) => Promise<void>; free: number; closing: AbortController }[] = [];

  async enqueue(taskId: string, { delayMs = 0 }: { delayMs?: number | undefined } = {}): Promise<void> {
    this.#add({ taskId, attempt: 1 }, delayMs);
  }

  async work(
    handler: (run: EngineRun) => Promise<void>,
    { concurrency }: { concurrency: number },
  ): Promise<EngineWorker> {
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
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#waiting.length = 0;
  }

  #add(job: Job, delayMs: number): void {
    const add = () => {
      this.#waiting.push(job);
      this.#start();
    };
    if (delayMs <= 0) return add();
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        add();
      },
      Math.min(delayMs, MAX_TIMER_MS),
    );
    this.#timers.add(inBackground(timer));
  }

  #start(): void {
    for (const worker of this.#workers) {
      while (worker.free > 0) {
        const job = this.#waiting.shift();
        if (!job) return;
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

  async #run(job: Job, handler: (run: EngineRun) => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      // A handler that throws at once must not throw into the code that queues.
      await undefined;
      await handler({ ...job, signal });
    } catch {
      const attempt = job.attempt + 1;
      if (attempt <= MAX_TRIES && !signal.aborted)
        this.#add({ ...job, attempt }, TRY_AGAIN_MS * 2 ** job.attempt);
    }
  }
}
