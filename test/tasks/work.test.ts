import { expect, it, onTestFinished, vi } from 'vitest';
import { tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';
import { bullmq } from '../../src/node/server/bullmq/index.js';
import { type ListenOptions, listen } from '../../src/node/server/listen.js';
import { type Cluster, memoryCluster } from '../../src/server/cluster/index.js';
import { Server } from '../../src/server/index.js';
import { type TasksOptions, tasks, taskWorkOf, work } from '../../src/server/tasks/index.js';
import { freshKeys } from '../keys.js';

const KEYS = freshKeys();
/** Nothing answers there, and nothing connects before there is a task. */
const NOWHERE = 'redis://127.0.0.1:1';

interface Bakery {
  readonly server: Server;
  /** Why handlers on this node were stopped. */
  readonly stopped: string[];
  readonly warnings: string[];
}

/** A node of a bakery, whose oven is only hot where `isHot` is set. */
function createBakery(options: TasksOptions = {}, { isHot = true } = {}): Bakery {
  const stopped: string[] = [];
  const warnings: string[] = [];
  const server = new Server(
    { name: 'bakery', version: '1.0.0' },
    { extensions: [tasks({ leaseMs: 200, ...options })], onWarning: text => warnings.push(text) },
  );
  const bake = async (_: unknown, ctx: { signal: AbortSignal }) => {
    if (isHot) return 'bread';
    return new Promise<string>((_, fail) => {
      ctx.signal.addEventListener('abort', () => {
        stopped.push(ctx.signal.reason.message);
        fail(ctx.signal.reason);
      });
    });
  };
  server.tool('bake', { task: 'always' }, bake);
  server.tool('bake-soon', { task: { after: 1 } }, bake);
  return { server, stopped, warnings };
}

async function serve({ server }: Bakery, options: ListenOptions): Promise<string> {
  const { url, close } = await listen(server, { port: 0, keys: KEYS, ...options });
  onTestFinished(async () => {
    await close(0);
    await taskWorkOf(server)?.close();
  });
  return url;
}

async function open(url: string) {
  const client = await connect(url, { extensions: [tasksClient({ minPollMs: 20 })] });
  onTestFinished(() => client.close());
  return client;
}

it('tasks are kept in the cluster that listen got, and a node with `work: false` leaves them to others', async () => {
  const cluster = memoryCluster();
  const front = createBakery({}, { isHot: false });
  const url = await serve(front, { cluster, work: false });
  // The other node gets no request, and has to be told to begin.
  const back = createBakery();
  await serve(back, { cluster });
  await taskWorkOf(back.server)?.start();
  const client = await open(url);
  expect((await client.callTool('bake')).content).toMatchObject([{ text: 'bread' }]);
  expect(front.stopped).toEqual([]);
  expect(front.warnings).toEqual([]);
});

it('a call that has become a task is handed over when its node closes', async () => {
  const cluster = memoryCluster();
  const front = createBakery({}, { isHot: false });
  const url = await serve(front, { cluster });
  const back = createBakery();
  const other = await serve(back, { cluster });
  const client = await open(url);
  let handle: unknown;
  const result = client.callTool(
    'bake-soon',
    {},
    {
      onTask: task => {
        handle = task;
      },
    },
  );
  await vi.waitFor(() => expect(handle).toBeDefined());
  await taskWorkOf(front.server)?.close();
  expect(front.stopped).toEqual(['this node closes']);
  await (await open(other)).tools();
  expect((await result).content).toMatchObject([{ text: 'bread' }]);
});

it('tasks without a cluster are named in the log, if others may have the keys', async () => {
  const bakery = createBakery();
  const client = await open(await serve(bakery, {}));
  await client.callTool('bake');
  expect(bakery.warnings).toContainEqual(
    expect.stringContaining('tasks are kept and run in this process only'),
  );
});

const IN_MEMORY: { cluster: Cluster } = { cluster: memoryCluster() };

it.each([
  ['no tasks', new Server({ name: 'shop', version: '1.0.0' }), IN_MEMORY, 'has no tasks to work on'],
  ['no cluster', createBakery({ engine: bullmq({ url: NOWHERE }) }).server, {}, 'needs the cluster'],
  ['no queue that others share', createBakery().server, IN_MEMORY, 'needs an engine'],
  [
    'nothing to do',
    createBakery({ engine: bullmq({ url: NOWHERE }), concurrency: 0 }).server,
    IN_MEMORY,
    'remove `concurrency: 0`',
  ],
])('a process that would only work is refused if there is %s', async (_, server, options, message) => {
  await expect(work(server, options)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(message),
  });
});
