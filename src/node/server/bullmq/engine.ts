import type { Job, JobsOptions } from 'bullmq';
import { inBackground } from '../../../base/background.js';
import { UsageError } from '../../../base/errors.js';
import { checkOptions, type OptionNames } from '../../../base/options.js';
import { messageOf } from '../../../base/thrown.js';
import { ClusterUnavailable } from '../../../server/cluster/failures.js';
import { inTime } from '../../../server/cluster/kept-connection.js';
import type {
  EngineHandler,
  EngineWorker,
  EngineWorkOptions,
  EnqueueOptions,
  TaskEngine,
} from '../../../server/tasks/engine.js';
import {
  isPostgres,
  openStore,
  type QueueWorker,
  type Store,
  type TaskJob,
  type TaskQueue,
} from './store.js';

/** How an engine on BullMQ is made. */
export interface BullmqOptions {
  /** Where the queue is kept: `redis://` or `rediss://` for Redis, `postgres://` for Postgres. */
  url?: string | undefined;
  /** A client of `@redis/client` or `ioredis`, instead. It is not closed with the engine. */
  connection?: object | undefined;
  /** The name of the queue. Default `tenon-tasks-` and the name of the server. */
  queue?: string | undefined;
  /** After how long the work of a process that is gone is given to another one, about: 15 seconds by default. */
  lockMs?: number | undefined;
  /** How long queueing a task may take before it fails with `ClusterUnavailable`. Default 5,000. */
  timeoutMs?: number | undefined;
}

const OPTIONS: OptionNames<BullmqOptions> = { url: 1, connection: 1, queue: 1, lockMs: 1, timeoutMs: 1 };
const LOCK_MS = 15_000;
const TIMEOUT_MS = 5_000;
const CLOSING_MS = 5_000;
/** How often a job is tried that throws, such as while the cluster is away: about 8 minutes in all. */
const TRIES = 10;
const TRY_AGAIN_MS = 1_000;
/** Spare jobs of a task that are due within this time are one, so that a client cannot have it queued without bound. */
const SPARE_MS = 1_000;
/** How long a worker pauses when its store refuses connections. Meanwhile it begins no task, not even when the store is back. */
const REFUSED_MS = 250;
/** How often a job may lose its worker. A task gives up earlier, unless it comes further each time. */
const MAX_STALLS = 10_000;
/** How many parked jobs are kept, and for how long. */
const PARKED = { count: 10_000, age: 14 * 24 * 3600 };

const JOB: JobsOptions = {
  attempts: TRIES,
  backoff: { type: 'exponential', delay: TRY_AGAIN_MS },
  removeOnComplete: true,
  removeOnFail: PARKED,
};

/**
 * Runs tasks on BullMQ, on every node of a server that has the same queue. The queue is in Redis (6.2 or newer) or Postgres
 * (13 or newer). The work of a process that is gone goes on at another one; tasks that are given up stay in the queue as
 * failed jobs, with the reason, where the dashboards of BullMQ show them.
 *
 * @example
 * const url = 'redis://127.0.0.1:6379';
 * const studio = tasks({ cluster: redisCluster({ url }), engine: bullmq({ url }) });
 */
export function bullmq(options: BullmqOptions): TaskEngine {
  checkOptions(options, OPTIONS, 'bullmq()');
  const { url, connection, queue, lockMs = LOCK_MS, timeoutMs = TIMEOUT_MS } = options;
  if ((url === undefined) === (connection === undefined))
    throw new UsageError('bullmq() needs a url or a connection, and not both');
  if (url !== undefined && !(isPostgres(url) || /^rediss?:\/\//.test(url)))
    throw new UsageError('the url of bullmq() must start with redis://, rediss:// or postgres://');
  if (queue !== undefined && !/^[^:]+$/.test(queue))
    throw new UsageError('the queue of bullmq() must be a name without colons');
  for (const [name, value] of Object.entries({ lockMs, timeoutMs }))
    if (!(Number.isFinite(value) && value > 0))
      throw new UsageError(`${name} of bullmq() must be greater than 0, not ${value}`);
  return new BullmqEngine(() => openStore({ url, connection }), { queue, lockMs, timeoutMs });
}

interface EngineSettings {
  readonly queue: string | undefined;
  readonly lockMs: number;
  readonly timeoutMs: number;
}

class BullmqEngine implements TaskEngine {
  readonly isDurable = true;
  readonly #settings: EngineSettings;
  readonly #open: () => Promise<Store>;
  #name: string | undefined;
  #store: Promise<Store> | undefined;
  #queue: Promise<TaskQueue> | undefined;

  constructor(open: () => Promise<Store>, settings: EngineSettings) {
    this.#open = open;
    this.#settings = settings;
  }

  attach(server: string): void {
    if (this.#name !== undefined)
      throw new UsageError('each server needs an engine of its own: call bullmq() again');
    this.#name = this.#settings.queue ?? `tenon-tasks-${encode(server)}`;
  }

  async enqueue(taskId: string, options: EnqueueOptions = {}): Promise<void> {
    const { timeoutMs } = this.#settings;
    const { isNew = false, isSpare = false } = options;
    const dueAt = isSpare ? spareTime(options.delayMs ?? 0) : undefined;
    const delayMs = dueAt === undefined ? (options.delayMs ?? 0) : dueAt - Date.now();
    // A job that is due earlier would take the place of a spare one, and may run before the task has changed.
    const id = dueAt === undefined ? taskId : `${taskId}@${dueAt}`;
    // With the id as the id of the job, what is queued while the task runs would be dropped.
    const deduplication = { id, keepLastIfActive: true, reschedule: delayMs <= 0 };
    const add = async () => {
      const queue = await this.#openQueue();
      const job = { taskId, ...(isNew && { isNew }) };
      await queue.add('task', job, { deduplication, ...(delayMs > 0 && { delay: delayMs }) });
    };
    await inTime(add(), timeoutMs, () => {}).catch(cause => {
      if (cause instanceof UsageError) throw cause;
      throw new ClusterUnavailable(`the task could not be queued: ${messageOf(cause)}`, { cause });
    });
  }

  async work(handler: EngineHandler, { concurrency, onError }: EngineWorkOptions): Promise<EngineWorker> {
    const store = await this.#openStore();
    const { lockMs } = this.#settings;
    const running = new Set<Promise<unknown>>();
    const closing = new AbortController();
    const run = async ({ data, attemptsStarted, attemptsMade }: Job<TaskJob>) => {
      const isLast = attemptsMade + 1 >= TRIES;
      const handled = handler({
        taskId: data.taskId,
        isFirst: data.isNew === true && attemptsStarted === 1,
        isLast,
        signal: closing.signal,
      });
      running.add(handled);
      try {
        const givenUp = await handled;
        if (givenUp) throw store.parked(givenUp.reason);
      } finally {
        running.delete(handled);
      }
    };
    const options = {
      concurrency,
      lockDuration: Math.ceil(lockMs),
      stalledInterval: Math.ceil(lockMs / 3),
      maxStalledCount: MAX_STALLS,
      removeOnFail: PARKED,
      runRetryDelay: REFUSED_MS,
    };
    const worker = await store
      .openWorker(this.#name as string, run, options, unlessRepeated(onError))
      .catch(cause => {
        throw new ClusterUnavailable(`the queue cannot be reached: ${messageOf(cause)}`, { cause });
      });
    return { close: () => closeWorker(worker, closing, running) };
  }

  async close(): Promise<void> {
    const [store, queue] = [this.#store, this.#queue];
    this.#store = undefined;
    this.#queue = undefined;
    const opened = await queue?.catch(() => undefined);
    await opened?.close();
    await (await store)?.close();
  }

  #openStore(): Promise<Store> {
    this.#store ??= this.#open();
    return this.#store;
  }

  #openQueue(): Promise<TaskQueue> {
    if (this.#queue) return this.#queue;
    const options = { defaultJobOptions: JOB };
    // What cannot be queued is told where it is queued.
    const opening = this.#openStore().then(store => store.openQueue(this.#name as string, options, () => {}));
    this.#queue = opening;
    opening.catch(() => {
      if (this.#queue === opening) this.#queue = undefined;
    });
    return opening;
  }
}

/** When a spare job is due: not before its delay is over. */
function spareTime(delayMs: number): number {
  return Math.ceil((Date.now() + delayMs) / SPARE_MS) * SPARE_MS;
}

/** BullMQ has the colon between the parts of its keys, and pages of dashboards do not find names with a percent sign. */
function encode(server: string): string {
  return encodeURIComponent(server).replaceAll('%', '=');
}

/** Stops to take jobs, then those that run. Jobs that do not stop in time are left to other workers. */
async function closeWorker(
  worker: QueueWorker,
  closing: AbortController,
  running: ReadonlySet<Promise<unknown>>,
): Promise<void> {
  await worker.pause(true);
  closing.abort(new Error('the worker closes'));
  const patience = new Promise<'late'>(resolve =>
    inBackground(setTimeout(() => resolve('late'), CLOSING_MS)),
  );
  const stopped = await Promise.race([Promise.allSettled(running), patience]);
  await worker.close(stopped === 'late');
}

/** While a store is away, each attempt to connect fails in the same way. */
function unlessRepeated(report: (error: unknown) => void): (error: unknown) => void {
  let last: string | undefined;
  return error => {
    const message = messageOf(error);
    if (message !== last) report(error);
    last = message;
  };
}
