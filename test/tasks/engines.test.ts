import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@redis/client';
import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { Client as PostgresClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Client } from '../../src/client/index.js';
import { tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';
import { bullmq } from '../../src/node/server/bullmq/index.js';
import { listen } from '../../src/node/server/listen.js';
import { ClusterUnavailable } from '../../src/server/cluster/index.js';
import { UsageError } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { program } from '../programs/program.js';
import { startBadNetwork } from '../services/bad-network.js';
import { endWhenReady } from '../services/ending-postgres.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled, type Service } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import type { ServiceControl } from '../services/service-process.js';
import { createQueuedStudio, linesOf } from './queued-studio.js';
import { createStudio } from './studio.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const QUEUE = 'tenon-tasks-studio=3A=20films';
const PATIENCE = { timeout: 120_000, interval: 20 };
const TIMES_AWAY = 8;

interface Setup {
  readonly service: Service;
  start(): Promise<ServiceControl & { where: string }>;
  openQueue(
    url: string,
  ): Promise<{ queue: Pick<Queue, 'getJobCounts' | 'getFailed'>; close(): Promise<void> }>;
}

const ON_REDIS: Setup = {
  service: 'redis',
  start: async () => {
    const redis = await startRedis();
    return Object.assign(redis, { where: redis.url });
  },
  openQueue: async url => {
    const client = createClient({ url });
    const queue = new Queue(QUEUE, { connection: client });
    const close = async () => {
      await queue.close();
      client.destroy();
    };
    return { queue, close };
  },
};

const ON_POSTGRES: Setup = {
  service: 'postgres',
  start: async () => {
    const postgres = await startPostgres();
    return Object.assign(postgres, { where: postgres.connectionString });
  },
  openQueue: async url => {
    const queue = new (withBackend(createPostgresBackend).Queue)(QUEUE, { connection: url });
    return { queue: queue as never, close: () => queue.close() };
  },
};

describe.each([ON_REDIS, ON_POSTGRES])('tasks that are queued in BullMQ on $service', setup => {
  describe.runIf(isInstalled(setup.service))('with two nodes that only work', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-engines-'));
    const ledger = join(folder, 'ledger');
    const workers = new Set<ChildProcess>();
    let store: ServiceControl & { where: string };
    let client: Client;
    let closeFront: () => Promise<void>;
    let isOver = false;

    /** Starts a process that works. If it is killed, another one takes its place, as in a cluster. */
    const startWorker = async () => {
      const script = [program('test/tasks/queued-studio-worker.ts')];
      const child = spawn(process.execPath, [...script, store.where, ledger], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      workers.add(child);
      child.once('exit', code => {
        workers.delete(child);
        if (!isOver && code !== 0) void startWorker();
      });
      await once(child.stdout!, 'data');
    };

    beforeAll(async () => {
      store = await setup.start();
      writeFileSync(ledger, '');
      const { server, work, cluster } = createQueuedStudio({ url: store.where, ledger, concurrency: 0 });
      const running = await listen(server, { port: 0, keys: freshKeys(), cluster });
      const names = ['Ada', 'Moriarty'];
      client = await connect(running.url, {
        extensions: [tasksClient({ minPollMs: 20 })],
        onElicit: () => ({ action: 'accept', content: { name: names.shift() as string } }),
      });
      closeFront = async () => {
        await client.close();
        await running.close(0);
        await work.close();
        await cluster.close();
      };
      await Promise.all([startWorker(), startWorker()]);
    });

    afterAll(async () => {
      isOver = true;
      await closeFront?.();
      // They close by themselves, which would not end if a connection or a timer were left.
      await Promise.all(
        [...workers].map(async worker => {
          const exited = once(worker, 'exit');
          worker.disconnect();
          await exited;
        }),
      );
      await store?.stop();
      rmSync(folder, { recursive: true });
    });

    it('go on at the other node when the one that runs them is killed', async () => {
      const result = client.callTool('film');
      const [first] = await vi.waitFor(() => {
        const lines = linesOf(ledger, 'film');
        expect(lines).not.toEqual([]);
        return lines;
      }, PATIENCE);
      process.kill(Number(first), 'SIGKILL');
      expect((await result).content).toEqual([{ type: 'text', text: 'Ada and Moriarty' }]);
      const booked = linesOf(ledger, 'book');
      expect(new Set(booked).size).toBe(booked.length);
      expect(linesOf(ledger, 'film').some(pid => pid !== first)).toBe(true);
    });

    it('fail when they kill every process that runs them, and are parked with the reason', async () => {
      await expect(client.callTool('explode')).rejects.toThrow('the task was given up: it was begun 5 times');
      expect(linesOf(ledger, 'explode')).toHaveLength(5);
      const { queue, close } = await setup.openQueue(store.where);
      try {
        await vi.waitFor(async () => expect(await queue.getFailed()).toHaveLength(1), PATIENCE);
        const [parked] = await queue.getFailed();
        expect(parked?.failedReason).toContain('the task was given up: it was begun 5 times');
        expect(await queue.getJobCounts()).toMatchObject({ active: 0, completed: 0, delayed: 0, waiting: 0 });
      } finally {
        await close();
      }
    });
  });
});

describe.each([ON_REDIS, ON_POSTGRES])('an engine on $service that starts while its store is away', setup => {
  it.runIf(isInstalled(setup.service))('queues and runs tasks when the store is back', async () => {
    const store = await setup.start();
    onTestFinished(() => store.stop());
    await store.kill();
    const engine = bullmq({ url: store.where, timeoutMs: 1000 });
    engine.attach('studio');
    const ran: string[] = [];
    const work = () =>
      engine.work(async ({ taskId }) => void ran.push(taskId), { concurrency: 1, onError: () => {} });
    const early = await work().catch(() => undefined);
    await expect(engine.enqueue('early')).rejects.toThrow(ClusterUnavailable);
    await store.restart();
    const worker = early ?? (await work());
    await vi.waitFor(() => engine.enqueue('late'), PATIENCE);
    await vi.waitFor(() => expect(ran).toContain('late'), PATIENCE);
    await worker.close();
    await engine.close();
  });
});

describe.each([ON_REDIS, ON_POSTGRES])('a spare run of a task on $service', setup => {
  it.runIf(isInstalled(setup.service))('comes although the task was queued for an earlier time', async () => {
    const store = await setup.start();
    onTestFinished(() => store.stop());
    const engine = bullmq({ url: store.where });
    engine.attach('studio');
    const ran: string[] = [];
    await engine.enqueue('film', { delayMs: 1000, isSpare: true });
    await engine.enqueue('film', { delayMs: 3000, isSpare: true });
    const run = async ({ taskId }: { taskId: string }) => void ran.push(taskId);
    const worker = await engine.work(run, { concurrency: 1, onError: () => {} });
    await vi.waitFor(() => expect(ran).toEqual(['film', 'film']), PATIENCE);
    await worker.close();
    await engine.close();
  });
});

it.runIf(isInstalled('postgres'))(
  'an engine runs tasks as soon as a Postgres is back that goes away again and again',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const network = await startBadNetwork(postgres.port);
    onTestFinished(() => network.stop());
    const engine = bullmq({ url: `postgres://postgres@127.0.0.1:${network.port}/postgres` });
    engine.attach('studio');
    const ran: string[] = [];
    const run = async ({ taskId }: { taskId: string }) => void ran.push(taskId);
    const worker = await engine.work(run, { concurrency: 1, onError: () => {} });
    for (let time = 1; time <= TIMES_AWAY; time++) {
      await network.close();
      for (const task of ['one', 'two'])
        await expect(engine.enqueue(task)).rejects.toThrow(ClusterUnavailable);
      await network.open();
      await vi.waitFor(() => engine.enqueue(`film ${time}`), PATIENCE);
      await vi.waitFor(() => expect(ran).toContain(`film ${time}`), PATIENCE);
    }
    await worker.close();
    await engine.close();
  },
  // With the pause of BullMQ, 15 seconds after each time, it would take twice as long.
  60_000,
);

it.runIf(isInstalled('postgres'))(
  'an engine survives a Postgres that ends while it makes its tables',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const blocker = new PostgresClient({ connectionString: postgres.connectionString });
    blocker.on('error', () => {});
    await blocker.connect();
    await blocker.query('BEGIN; CREATE SCHEMA bullmq');
    const engine = bullmq({ url: postgres.connectionString, timeoutMs: 60_000 });
    engine.attach('studio');
    const queueing = engine.enqueue('early').catch(String);
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await postgres.query(waiting)).toHaveLength(1), PATIENCE);
    await postgres.kill();
    expect(await queueing).toContain('the task could not be queued');
    await postgres.restart();
    await vi.waitFor(() => engine.enqueue('late'), PATIENCE);
    await engine.close();
  },
);

it.runIf(isInstalled('postgres'))(
  'an engine survives a Postgres that ends its connections in the moment in which they are ready',
  async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const port = await endWhenReady(postgres.port, 20);
    const engine = bullmq({ url: `postgres://postgres@127.0.0.1:${port}/postgres` });
    engine.attach('studio');
    const ran: string[] = [];
    const run = async ({ taskId }: { taskId: string }) => void ran.push(taskId);
    const work = () => engine.work(run, { concurrency: 1, onError: () => {} });
    const worker = await vi.waitFor(work, PATIENCE);
    await vi.waitFor(() => engine.enqueue('film'), PATIENCE);
    await vi.waitFor(() => expect(ran).toContain('film'), PATIENCE);
    await worker.close();
    await engine.close();
  },
);

describe('bullmq', () => {
  it.each([
    [{}, 'needs a url or a connection'],
    [{ url: 'http://127.0.0.1' }, 'must start with redis://'],
    [{ url: 'redis://127.0.0.1', queue: 'a:b' }, 'a name without colons'],
    [{ url: 'redis://127.0.0.1', lockMs: 0 }, 'lockMs of bullmq() must be greater than 0'],
  ])('refuses %j', (options, message) => {
    expect(() => bullmq(options)).toThrow(UsageError);
    expect(() => bullmq(options)).toThrow(message);
  });

  it('refuses to run the tasks of two servers', () => {
    const engine = bullmq({ url: 'redis://127.0.0.1:1' });
    createStudio({ engine });
    expect(() => createStudio({ engine })).toThrow('each server needs an engine of its own');
  });
});
