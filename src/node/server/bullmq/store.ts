import type { JobsOptions, Processor, WorkerOptions } from 'bullmq';
import type { Client, ClientConfig } from 'pg';
import { UsageError } from '../../../base/errors.js';

/** What a job carries. */
export interface TaskJob {
  readonly taskId: string;
  /** Whether the task was queued for the first time. */
  readonly isNew?: boolean;
}

/** Where a queue is kept. */
export interface StoreSettings {
  readonly url: string | undefined;
  /** A client that the user has made, instead. */
  readonly connection: object | undefined;
}

/** BullMQ, bound to the store of a queue. */
export interface Store {
  /** Rejects if the store cannot be reached, unless it connects later by itself. `onError` is told of errors from then on. */
  openQueue(
    name: string,
    options: { defaultJobOptions: JobsOptions },
    onError: (error: Error) => void,
  ): Promise<TaskQueue>;
  /** The same for a worker. */
  openWorker(
    name: string,
    processor: Processor<TaskJob>,
    options: Omit<WorkerOptions, 'connection'>,
    onError: (error: Error) => void,
  ): Promise<QueueWorker>;
  /** An error for a job that must not be tried again. */
  parked(reason: string): Error;
  close(): Promise<void>;
}

/** What this SDK uses of a `Queue` of BullMQ. */
export interface TaskQueue {
  add(name: string, data: TaskJob, options: JobsOptions): Promise<unknown>;
  close(): Promise<void>;
}

/** What this SDK uses of a `Worker` of BullMQ. */
export interface QueueWorker {
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
}

/** Loads BullMQ. Connections are opened with the first queue or worker. */
export async function openStore({ url, connection }: StoreSettings): Promise<Store> {
  const { Queue, Worker, UnrecoverableError, withBackend, createPostgresBackend } = await loadBullmq();
  const parked = (reason: string) => new UnrecoverableError(reason);
  if (url !== undefined && isPostgres(url)) {
    const SteadyClient = await loadSteadyClient();
    const onPostgres = withBackend((...args: Parameters<typeof createPostgresBackend>) => {
      const backend = createPostgresBackend(...args);
      // The connection on which it listens is made by another way than those of its pool.
      const { connection } = backend as unknown as { connection: { pgModule?: object } };
      if (connection.pgModule) connection.pgModule = { ...connection.pgModule, Client: SteadyClient };
      return backend;
    });
    const own = { connectionString: url, migrate: true, Client: SteadyClient };
    return {
      openQueue: (name, options, onError) =>
        untilReady(new onPostgres.Queue(name, { ...options, connection: own }).on('error', onError)),
      openWorker: (name, processor, options, onError) =>
        untilReady(
          new onPostgres.Worker(name, processor, { ...options, connection: own }).on('error', onError),
        ),
      parked,
      close: async () => {},
    };
  }
  const client = url === undefined ? undefined : await createRedisClient(url);
  const shared = { connection: (client ?? connection) as never };
  return {
    openQueue: async (name, options, onError) =>
      new Queue(name, { ...options, ...shared }).on('error', onError),
    openWorker: async (name, processor, options, onError) =>
      new Worker(name, processor, { ...options, ...shared }).on('error', onError),
    parked,
    close: async () => client?.destroy(),
  };
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** On Postgres, what could not connect at first never does. It is ended, so that the next attempt begins anew. */
async function untilReady<T extends { waitUntilReady(): Promise<unknown>; close(): Promise<void> }>(
  opened: T,
): Promise<T> {
  try {
    await opened.waitUntilReady();
    return opened;
  } catch (error) {
    void opened.close().catch(() => {});
    throw error;
  }
}

/** BullMQ opens connections, and makes its tables, without a listener: if Postgres ended meanwhile, the process would end, too. */
async function loadSteadyClient(): Promise<typeof Client> {
  const { default: pg } = await import('pg');
  return class extends pg.Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      this.on('error', () => {});
    }
  };
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
