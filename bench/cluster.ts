/**
 * `npm run bench:cluster [turns]`: the cost of a cluster on Redis. A plain call is measured beside one without a cluster, and a
 * task beside a bare job of BullMQ.
 */
import { startRedis } from '../test/services/redis.js';
import { compareCalls } from './cluster-calls.js';
import { compareTasks } from './cluster-tasks.js';

const turns = Number(process.argv[2] ?? 21);
const tasksAtOnce = 640;
const redis = await startRedis();
try {
  console.log('plain calls:');
  console.log(await compareCalls(redis.url, turns));
  console.log('\ntasks, beside jobs of BullMQ that store their results:');
  console.log(await compareTasks(redis, turns, tasksAtOnce));
} finally {
  await redis.stop();
}
process.exit();
