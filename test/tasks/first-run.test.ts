import { afterEach, expect, it } from 'vitest';
import { type Cluster, memoryCluster, type WriteOptions } from '../../src/server/cluster/index.js';
import type { Context } from '../../src/server/index.js';
import type { EngineHandler, TaskEngine } from '../../src/server/tasks/index.js';
import { connectTo, createStudio, type Studio, startTask, untilTask } from './studio.js';

/** An engine that gives tasks to its node when the test says so. */
interface HandEngine extends TaskEngine {
  readonly delays: number[];
  run(taskId: string, isFirst: boolean): ReturnType<EngineHandler>;
}

interface Node extends Studio {
  readonly engine: HandEngine;
  /** How often this node has written a value. */
  readonly writes: () => number;
}

const open: Node[] = [];
afterEach(async () => {
  for (const { work } of open.splice(0)) await work.close();
});

function handEngine(): HandEngine {
  let work: EngineHandler | undefined;
  const delays: number[] = [];
  return {
    isDurable: true,
    delays,
    attach() {},
    enqueue: async (_, { delayMs = 0 } = {}) => {
      delays.push(delayMs);
    },
    work: async handler => {
      work = handler;
      return { close: async () => {} };
    },
    close: async () => {},
    run: (taskId, isFirst) =>
      (work as EngineHandler)({ taskId, isFirst, isLast: false, signal: new AbortController().signal }),
  };
}

/** Two nodes of one server, whose engines wait for the test. */
async function createNodes(handler: (node: number, ctx: Context) => unknown): Promise<[Node, Node]> {
  const store = memoryCluster();
  const nodes = [0, 1].map(number => {
    let writes = 0;
    const cluster = new Proxy(store, {
      get(target, name: keyof Cluster) {
        if (name === 'write') {
          return (key: string, value: string, options: WriteOptions) => {
            writes++;
            return target.write(key, value, options);
          };
        }
        const member = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const engine = handEngine();
    const node = { ...createStudio({ cluster, engine }), engine, writes: () => writes };
    node.server.tool('render', { task: 'always' }, (_, ctx) => handler(number, ctx) as string);
    open.push(node);
    return node;
  });
  await Promise.all(nodes.map(({ work }) => work.start()));
  return nodes as [Node, Node];
}

it('a task is written when it is created and when it ends, if it runs where it was created', async () => {
  const [node] = await createNodes(number => `of node ${number}`);
  const client = await connectTo(node);
  const { taskId } = await startTask(client, 'render');
  await node.engine.run(taskId, true);
  expect(await untilTask(client, taskId, 'completed')).toMatchObject({
    result: { content: [{ text: 'of node 0' }] },
  });
  expect(node.writes()).toBe(2);
  await client.close();
});

it('a task runs at once at another node that gets it first', async () => {
  const [node, other] = await createNodes(number => `of node ${number}`);
  const client = await connectTo(node);
  const { taskId } = await startTask(client, 'render');
  await other.engine.run(taskId, true);
  expect(await untilTask(client, taskId, 'completed')).toMatchObject({
    result: { content: [{ text: 'of node 1' }] },
  });
  await client.close();
});

it('a task whose first run may have begun is left alone until the lease of its node is over', async () => {
  const runs: number[] = [];
  const [node, other] = await createNodes(number => {
    runs.push(number);
    return new Promise(() => {});
  });
  const client = await connectTo(node);
  const { taskId } = await startTask(client, 'render');
  void node.engine.run(taskId, true);
  await expect.poll(() => runs).toEqual([0]);
  await other.engine.run(taskId, false);
  expect(runs).toEqual([0]);
  const [delay] = other.engine.delays;
  expect(delay).toBeGreaterThan(0);
  await client.close();
});

it('a task that another node cancels before its first run does not begin', async () => {
  const runs: number[] = [];
  const [node, other] = await createNodes(number => runs.push(number));
  const client = await connectTo(node);
  const { taskId } = await startTask(client, 'render');
  const canceller = await connectTo(other);
  await canceller.request('tasks/cancel', { taskId });
  await node.engine.run(taskId, true);
  expect(runs).toEqual([]);
  await canceller.close();
  await client.close();
});
