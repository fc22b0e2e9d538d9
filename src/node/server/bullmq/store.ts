import type { JobsOptions, Processor, WorkerOptions } from 'bullmq';
import { UsageError } from '../../../base/errors.js';

/** What a job carries. */
export interface TaskJob {
  readonly taskId: string;
}

/** Where a queue is kept. */
export interface StoreSettings {
  readonly url: string | undefined;
  /** A client that the user has made, instead. */
  readonly connection: object | undefined;
}

/** BullMQ, bound to the store of a queue. */
export interface Store {
  openQueue(name: string, options: { defaultJobOptions: JobsOptions }): TaskQueue;
  openWorker(
    name: string,
    processor: Processor<TaskJob>,
    options: Omit<WorkerOptions, 'connection'>,
  ): QueueWorker;
  /** An error for a job that must not be tried again. */
  parked(reason: string): Error;
  close(): Promise<void>;
}

/** What this SDK uses of a `Queue` of BullMQ. */
export interface TaskQueue {
  add(name: string, data: TaskJob, options: JobsOptions): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** What this SDK uses of a `Worker` of BullMQ. */
export interface QueueWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
}

/** Loads BullMQ. Connections are opened with the first queue or worker. */
export async function openStore({ url, connection }: StoreSettings): Promise<Store> {
  const { Queue, Worker, UnrecoverableError, withBackend, createPostgresBackend } = await loadBullmq();
  const parked = (reason: string) => new UnrecoverableError(reason);
  if (url !== undefined && isPostgres(url)) {
    const onPostgres = withBackend(createPostgresBackend);
    const own = { connectionString: url, migrate: true };
    return {
      openQueue: (name, options) => new onPostgres.Queue(name, { ...options, connection: own }),
      openWorker: (name, processor, options) =>
        new onPostgres.Worker(name, processor, { ...options, connection: own }),
      parked,
      close: async () => {},
    };
  }
  const client = url === undefined ? undefined : await createRedisClient(url);
  const shared = { connection: (client ?? connection) as never };
  return {
    openQueue: (name, options) => new Queue(name, { ...options, ...shared }),
    openWorker: (name, processor, options) => new Worker(name, processor, { ...options, ...shared }),
    parked,
    close: async () => client?.destroy(),
  };
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

async function loadBullmq() {
  try {
    return await import('bullmq');
  } catch (cause) {
    throw new UsageError('tenon/bullmq needs the package bullmq: npm install bullmq', { cause });
  }
}

/** The engine bounds the time of what must not wait. The default, a signal for each command, costs more than a command. */
const NO_TIMEOUT: object = { timeout: undefined };

/** A client that connects by itself, and again when the connection is lost. */
async function createRedisClient(url: string): Promise<{ destroy(): void }> {
  try {
    const { createClient } = await import('@redis/client');
    return createClient({ url, maintNotifications: 'disabled', commandOptions: NO_TIMEOUT });
  } catch (cause) {
    throw new UsageError(
      'bullmq({ url }) needs the package @redis/client for Redis: npm install @redis/client',
      { cause },
    );
  }
}
