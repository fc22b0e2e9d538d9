import type { RedisService } from '../test/services/redis.js';
import { cpuSeconds } from './cpu.js';
import { barePost, type Post } from './posts.js';
import { type Listening, startListener } from './processes.js';
import { message } from './scenarios.js';
import { median } from './statistics.js';
import { formatTable } from './table.js';

/** A server that makes tasks, its callers, and what its tasks cost, turn by turn. */
interface Contender {
  name: string;
  server: Listening;
  posts: Post[];
  /** Creates a task, and returns its id. */
  create(post: Post): Promise<string>;
  /** The state of a task, and its result if there is one. */
  look(post: Post, id: string): Promise<Looked>;
  costs: Cost[];
}

interface Looked {
  status: string;
  result?: { content: { text: string }[] };
}

/** What one task costs, in microseconds; how often Redis was asked for something; and the bytes that it keeps. */
interface Cost {
  elapsed: number;
  server: number;
  redis: number;
  reads: number;
  kept: number;
}

const callers = 64;
const warmUps = 8;
const pauseMs = 20;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/**
 * Compares a task with a bare job of BullMQ that stores its result. Both are made over HTTP, are durable when the caller has
 * the id, run in the process of the server, and are looked up until they have ended. One bare server waits for the end of
 * jobs with BullMQ's events, as a server with notices has to; the other one only looks. A turn is a batch: all are made, then
 * all are looked up. The processor time is that of the server and of Redis.
 */
export async function compareTasks(redis: RedisService, turns: number, batch: number): Promise<string> {
  const contenders = [
    await startBare(redis.url, 'awaited'),
    await startBare(redis.url, 'polled'),
    await startTenon(redis.url),
  ];
  try {
    for (let turn = -warmUps; turn < turns; turn++)
      for (let at = 0; at < contenders.length; at++) {
        const contender = contenders[(turn + warmUps + at) % contenders.length]!;
        const cost = await measure(contender, redis, batch);
        if (turn >= 0) contender.costs.push(cost);
      }
    return format(contenders);
  } finally {
    for (const { server } of contenders) server.stop();
  }
}

async function startBare(redisUrl: string, kind: 'awaited' | 'polled'): Promise<Contender> {
  const server = await startListener('tasks-bare', redisUrl, kind);
  const ask = async (post: Post, content: object) =>
    JSON.parse(await post('', JSON.stringify(content))).result;
  return {
    ...contenderOf(`bare job, ${kind}`, server),
    create: async post => (await ask(post, { message })).taskId,
    look: (post, taskId) => ask(post, { taskId }),
  };
}

async function startTenon(redisUrl: string): Promise<Contender> {
  const server = await startListener('tasks-tenon', redisUrl);
  const ask = async (post: Post, method: string, target: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } };
    const { result, error } = JSON.parse(await post(target, JSON.stringify(body), method));
    if (error) throw new Error(error.message);
    return result;
  };
  const call = { name: 'echo', arguments: { message } };
  return {
    ...contenderOf('task', server),
    create: async post => (await ask(post, 'tools/call', 'echo', call)).taskId,
    look: (post, taskId) => ask(post, 'tasks/get', taskId, { taskId }),
  };
}

function contenderOf(
  name: string,
  server: Listening,
): Pick<Contender, 'name' | 'server' | 'posts' | 'costs'> {
  const posts = Array.from({ length: callers }, () => barePost(new URL(server.url)));
  return { name, server, posts, costs: [] };
}

async function measure(contender: Contender, redis: RedisService, batch: number): Promise<Cost> {
  const before = await clocks(contender.server, redis);
  await Promise.all(contender.posts.map(post => makeAndLook(contender, post, batch / callers)));
  const after = await clocks(contender.server, redis);
  const per = (clock: keyof Cost) => (after[clock] - before[clock]) / batch;
  return {
    elapsed: per('elapsed'),
    server: per('server'),
    redis: per('redis'),
    reads: per('reads'),
    kept: per('kept'),
  };
}

async function makeAndLook({ create, look }: Contender, post: Post, count: number): Promise<void> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await create(post));
  // The last one first: when it has ended, hardly one of the others has to be looked up twice.
  for (const id of ids.reverse()) {
    let looked = await look(post, id);
    while (looked.status === 'working') {
      await new Promise(resolve => setTimeout(resolve, pauseMs));
      looked = await look(post, id);
    }
    if (looked.result?.content[0]?.text !== message)
      throw new Error(`the task has ended with ${JSON.stringify(looked)}`);
  }
}

async function clocks({ pid }: Listening, redis: RedisService): Promise<Cost> {
  const info = await redis.info();
  return {
    elapsed: performance.now() * 1000,
    server: (cpuSeconds(pid) ?? Number.NaN) * 1e6,
    redis: (Number(info.get('used_cpu_user')) + Number(info.get('used_cpu_sys'))) * 1e6,
    reads: Number(info.get('total_reads_processed')),
    kept: Number(info.get('used_memory_dataset')),
  };
}

function format(contenders: Contender[]): string {
  const [bare] = contenders as [Contender];
  const costOf = ({ costs }: Contender, of: (cost: Cost) => number) => costs.map(of);
  const measures: ((cost: Cost) => number)[] = [
    ({ elapsed }) => elapsed,
    ({ server, redis }) => server + redis,
    ({ server }) => server,
    ({ redis }) => redis,
    ({ reads }) => reads,
    ({ kept }) => kept,
  ];
  const rows = contenders.map(contender => [
    contender.name,
    ...measures.flatMap(of => {
      const [own, others] = [costOf(contender, of), costOf(bare, of)];
      const ratio = median(own.map((each, turn) => each / others[turn]!));
      return [median(own).toFixed(of === measures.at(-2) ? 1 : 0), ratio.toFixed(2)];
    }),
  ]);
  const names = [
    'elapsed us',
    'processor us',
    'of the server',
    'of Redis',
    'requests to Redis',
    'bytes in Redis',
  ];
  return formatTable([['', ...names.flatMap(name => [name, 'ratio'])], ...rows], 1);
}
