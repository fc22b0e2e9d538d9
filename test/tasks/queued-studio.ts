import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { bullmq } from '../../src/node/server/bullmq/index.js';
import { postgresCluster } from '../../src/node/server/postgres/index.js';
import { redisCluster } from '../../src/node/server/redis/index.js';
import type { Cluster } from '../../src/server/cluster/index.js';
import { Server } from '../../src/server/index.js';
import { type TasksExtension, tasks } from '../../src/server/tasks/index.js';

/** What a node of the studio is made of. */
export interface QueuedStudioOptions {
  /** Where the tasks and their queue are. */
  url: string;
  /** A file to which the handlers write what they do. */
  ledger: string;
  /** How many tasks the node works on at once; 0 if it only serves. */
  concurrency: number;
}

/** A node of a server whose tasks are queued in BullMQ. It has a name that a queue cannot have. */
export function createQueuedStudio({ url, ledger, concurrency }: QueuedStudioOptions): {
  server: Server;
  work: TasksExtension;
  cluster: Cluster;
} {
  // Generous: a machine that is busy with something else is slow, and that is no failure.
  const timeoutMs = 30_000;
  const cluster = url.startsWith('redis:')
    ? redisCluster({ url, timeoutMs })
    : postgresCluster({ connectionString: url, timeoutMs });
  const engine = bullmq({ url, lockMs: 1000, timeoutMs });
  const work = tasks({ cluster, engine, concurrency, leaseMs: 1000 });
  const server = new Server(
    { name: 'studio: films', version: '1.0.0' },
    { extensions: [work], onWarning: () => {}, onError: () => {} },
  );
  const note = (text: string) => appendFileSync(ledger, `${text}\n`);
  const name = z.object({ name: z.string() });

  server.tool('film', { task: 'always' }, async (_, ctx) => {
    const attempt = crypto.randomUUID();
    const hero = await ctx.elicit('Who is the hero?', name);
    await ctx.step('book', () => note(`book ${attempt}`));
    note(`film ${process.pid}`);
    // The work of the first process that comes here does not end.
    const [first] = linesOf(ledger, 'film');
    if (first === `${process.pid}`)
      await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
    const villain = await ctx.elicit('Who is the villain?', name);
    if (hero.action !== 'accept' || villain.action !== 'accept') return ctx.error('nobody wants to play');
    return `${hero.content.name} and ${villain.content.name}`;
  });

  server.tool('explode', { task: 'always' }, () => {
    note(`explode ${process.pid}`);
    process.kill(process.pid, 'SIGKILL');
    return new Promise<string>(() => {});
  });
  return { server, work, cluster };
}

/** What was written to a ledger, of one kind. */
export function linesOf(ledger: string, kind: string): string[] {
  const lines = readFileSync(ledger, 'utf8').split('\n');
  return lines.filter(line => line.startsWith(`${kind} `)).map(line => line.slice(kind.length + 1));
}
