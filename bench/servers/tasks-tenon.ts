/** A server whose tool is always a task, which BullMQ runs. The tasks and the queue are in the Redis of the first argument. */
import { Server } from 'tenon';
import { bullmq } from 'tenon/bullmq';
import { listen } from 'tenon/node';
import { redisCluster } from 'tenon/redis';
import { tasks } from 'tenon/tasks';
import { z } from 'zod';
import { keptMs, serverInfo } from '../scenarios.js';
import { announce } from './announce.js';

const url = process.argv[2]!;
const cluster = redisCluster({ url });
const server = new Server(serverInfo, {
  extensions: [tasks({ cluster, engine: bullmq({ url }), ttlMs: keptMs, maxTasks: 1_000_000 })],
});
server.tool(
  'echo',
  { input: z.object({ message: z.string() }), task: 'always' },
  async ({ message }) => message,
);
// All tasks are of one caller: those that are not authenticated may have 10,000 in all.
const authenticate = () => ({ principal: 'bench', scopes: [] });
announce((await listen(server, { port: 0, cluster, authenticate })).url);
