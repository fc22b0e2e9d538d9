// A server of several processes that share Redis or Postgres: those that serve, and those that only work on tasks.
//   export STORE_URL=redis://127.0.0.1:6379 TENON_KEYS=…   (or STORE_URL=postgres://…)
//   npx tenon serve examples/cluster/server.ts --port 3001 --no-work     (the same with 3002 and 3003)
//   npx tenon serve examples/cluster/server.ts --worker
// docs/deploy.md puts nginx in front of them, or Kubernetes around them.
import { Server } from 'tenon';
import { bullmq } from 'tenon/bullmq';
import { postgresCluster } from 'tenon/postgres';
import { redisCluster } from 'tenon/redis';
import { tasks } from 'tenon/tasks';
import { z } from 'zod';
import { Orders } from './orders.ts';

const url = process.env.STORE_URL ?? 'redis://127.0.0.1:6379';
const cluster = url.startsWith('postgres')
  ? postgresCluster({ connectionString: url })
  : redisCluster({ url });

/** For `tenon serve`. Tasks are kept in the same cluster. */
export const options = { cluster };

const server = new Server(
  { name: 'catering', version: '1.0.0' },
  { extensions: [tasks({ engine: bullmq({ url }) })] },
);
export default server;

const orders = new Orders(cluster);

const ordersToday = server.resource('orders://today', { description: 'What was ordered today' }, async () =>
  (await orders.list()).join('\n'),
);

// The answer to the question may reach any node, and so may the round after it.
server.tool(
  'order',
  { description: 'Orders a dish', input: z.object({ dish: z.string().min(1) }) },
  async ({ dish }, ctx) => {
    const party = await ctx.elicit(`How many guests eat ${dish}?`, z.object({ guests: z.int().min(1) }));
    if (party.action !== 'accept') return ctx.error('Nothing was ordered.');
    const order = `${party.content.guests} x ${dish}`;
    await ctx.step('order', () => orders.add(order));
    // After it was saved: clients at other nodes hear of it, and may read it at once.
    ordersToday.changed();
    return `ordered ${order}`;
  },
);

// If the process that cooks is gone, another one goes on after the last course that is ready.
server.tool(
  'cook',
  {
    description: 'Cooks a menu, which takes a while',
    input: z.object({ courses: z.array(z.string()).min(1) }),
    task: 'always',
  },
  async ({ courses }, ctx) => {
    for (const [at, course] of courses.entries()) {
      await ctx.step(course, () => cook(course, ctx.signal));
      ctx.progress(at + 1, { total: courses.length, message: `${course} is ready` });
    }
    const answer = await ctx.elicit('Shall it be served now?', z.object({ now: z.boolean() }));
    return answer.action === 'accept' && answer.content.now ? 'served' : 'kept warm';
  },
);

async function cook(course: string, signal: AbortSignal): Promise<void> {
  console.log(`cooking ${course}`);
  const ms = Number(process.env.COOKING_MS ?? 1000);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
  console.log(`cooked ${course}`);
}
