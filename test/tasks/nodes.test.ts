import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { memoryCluster } from '../../src/server/cluster/index.js';
import { AnswerTimeout, type Context, ERROR } from '../../src/server/index.js';
import { completeTask, type TasksOptions } from '../../src/server/tasks/index.js';
import { FaultyCluster } from './faulty-cluster.js';
import { LossyEngine } from './lossy-engine.js';
import { connectTo, createStudio, gate, type Studio, startTask, untilShown, untilTask } from './studio.js';

interface Node extends Studio {
  readonly cluster: FaultyCluster;
}

const open: Node[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const { cluster, work } of open.splice(0)) {
    cluster.mend();
    await work.close();
  }
});

/** Nodes of one server, which share a store and run in this process. */
async function createNodes(
  count: number,
  handler: (ctx: Context, node: number, own: Node) => unknown,
  options: TasksOptions | ((node: number) => TasksOptions) = {},
): Promise<Node[]> {
  const nodes = joinNodes(count, handler, options);
  await Promise.all(nodes.map(({ work }) => work.start()));
  return nodes;
}

/** The same nodes, which have not begun to work. */
function joinNodes(
  count: number,
  handler: (ctx: Context, node: number, own: Node) => unknown,
  options: TasksOptions | ((node: number) => TasksOptions) = {},
): Node[] {
  const store = memoryCluster();
  return Array.from({ length: count }, (_, number) => {
    const cluster = new FaultyCluster(store);
    const own = typeof options === 'function' ? options(number) : options;
    const node: Node = { ...createStudio({ cluster, leaseMs: 200, ttlMs: 86_400_000, ...own }), cluster };
    const render = (_: unknown, ctx: Context) => handler(ctx, number, node) as string;
    node.server.tool('render', { task: 'always' }, render);
    node.server.tool('render late', { task: { after: 1 } }, render);
    open.push(node);
    return node;
  });
}

/** Nodes with a tool whose calls become tasks at once. */
async function createDrawers(
  count: number,
  drawn: number[],
  until: (ctx: Context) => unknown,
): Promise<Node[]> {
  const nodes = await createNodes(count, () => {});
  for (const [at, { server }] of nodes.entries())
    server.tool('draw', { task: { after: 0 } }, async (_, ctx) => {
      drawn.push(at);
      await until(ctx);
    });
  return nodes;
}

function untilAborted({ signal }: Context): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

function text(task: object): unknown {
  return (task as { result: { content: { text: string }[] } }).result.content[0]?.text;
}

describe('a task', () => {
  it('is taken over with its journal when its node is lost, and what that node does later counts no more', async () => {
    const ledger: string[] = [];
    const { opened: lost, open: lose } = gate<unknown>();
    const [first, second] = await createNodes(2, async (ctx, node, { cluster }) => {
      await ctx.step('one', () => ledger.push(`one at ${node}`));
      if (node === 0) {
        cluster.cut();
        await untilAborted(ctx);
        lose(ctx.signal.reason);
        await ctx.step('late', () => ledger.push('late')).catch(() => {});
        return 'from the first node';
      }
      await ctx.step('two', () => ledger.push(`two at ${node}`));
      return 'from the second node';
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('from the second node');
    expect(String(await lost)).toContain('the lease could not be renewed');
    first!.cluster.mend();
    expect(text(await untilTask(await connectTo(first!), taskId, 'completed'))).toBe('from the second node');
    expect(ledger).toEqual(['one at 0', 'two at 1']);
  });

  it('is taken over by a node that has no tasks of its own, and is only asked for this one', async () => {
    const [first, second] = joinNodes(2, async (ctx, node, { cluster }) => {
      if (node === 0) {
        cluster.cut();
        await untilAborted(ctx);
      }
      return `from node ${node}`;
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('from node 1');
  });

  it.each([
    ['forwards', 3_600_000],
    ['backwards', -3_600_000],
  ])('is taken over once when its node is lost and the clock jumps %s', async (_, jumpMs) => {
    const runs: number[] = [];
    const { opened: started, open: start } = gate();
    const [first, second] = await createNodes(2, async (ctx, node, { cluster }) => {
      runs.push(node);
      start();
      if (node === 0) {
        cluster.cut();
        await untilAborted(ctx);
      }
      return `from node ${node}`;
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    await started;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jumpMs });
    const client = await connectTo(second!);
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('from node 1');
    expect(runs).toEqual([0, 1]);
  });

  it('begins again from what the store knows when that comes back with older data', async () => {
    const ledger: string[] = [];
    const [node] = await createNodes(1, async (ctx, _, { cluster }) => {
      await ctx.step('one', () => ledger.push('one'));
      if (ledger.length === 1) await cluster.rewind();
      await ctx.step('two', () => ledger.push('two'));
      return 'done';
    });
    const client = await connectTo(node!);
    const { taskId } = await startTask(client, 'render');
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('done');
    expect(ledger).toEqual(['one', 'two', 'one', 'two']);
  });

  it('ends for its handler, and is unknown to its client, when the store comes back empty', async () => {
    const { opened: aborted, open: abort } = gate<unknown>();
    const [node] = await createNodes(1, async (ctx, _, { cluster }) => {
      await cluster.clear();
      await untilAborted(ctx);
      abort(ctx.signal.reason);
    });
    const client = await connectTo(node!);
    const { taskId } = await startTask(client, 'render');
    expect(String(await aborted)).toContain('the task was forgotten');
    await expect(client.request('tasks/get', { taskId })).rejects.toThrow('there is no such task');
  });

  it('fails with the reason when another version of its tool takes it over', async () => {
    const [first, second] = await createNodes(2, async (ctx, node, { cluster }) => {
      await ctx.step(node === 0 ? 'draw' : 'paint', () => 1);
      cluster.cut();
      await untilAborted(ctx);
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const { statusMessage } = await untilTask(await connectTo(second!), taskId, 'failed');
    expect(statusMessage).toContain('ran the step "draw" in an earlier round, but now runs the step "paint"');
  });

  it('does not pass ctx.once() twice, because the lost node may have acted', async () => {
    const payments: number[] = [];
    const [first, second] = await createNodes(2, async (ctx, node, { cluster }) => {
      await ctx.once();
      payments.push(node);
      cluster.cut();
      await untilAborted(ctx);
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const { statusMessage } = await untilTask(await connectTo(second!), taskId, 'failed');
    expect(statusMessage).toContain('has passed this ctx.once() before');
    expect(payments).toEqual([0]);
  });

  it('is not run by another node if its node is lost before the call has become a task', async () => {
    const drawn: number[] = [];
    const [first, second] = (await createDrawers(2, drawn, untilAborted)) as [Node, Node];
    const { opened: removed, open: remove } = gate();
    // The node writes the task and its place in the index. It cannot write that the client gets a handle.
    first.cluster.beforeChange = () => first.cluster.cut();
    let removals = 0;
    second.cluster.afterRemove = () => ++removals === 2 && remove();
    const drawing = (await connectTo(first)).request('tools/call', { name: 'draw' });
    const refused = expect(drawing).rejects.toThrow();
    await removed;
    first.cluster.beforeChange = undefined;
    first.cluster.mend();
    await refused;
    expect(drawn).toEqual([0]);
  });

  it('is not forgotten if its client gets the handle while a worker looks at it', async () => {
    const drawn: number[] = [];
    const { opened: isDone, open: end } = gate();
    const [node] = (await createDrawers(1, drawn, () => isDone)) as [Node];
    const { cluster } = node;
    const { opened: looking, open: look } = gate();
    const { opened: confirmed, open: confirm } = gate();
    // Its lease is over before the call hears that the task is stored, so that the worker takes it for a lost one.
    cluster.afterCreate = values => values === 2 && looking;
    cluster.beforeChange = () => {
      cluster.beforeChange = undefined;
      look();
      return confirmed;
    };
    const client = await connectTo(node);
    const { taskId } = await startTask(client, 'draw');
    confirm();
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'working' });
    end();
    await untilTask(client, taskId, 'completed');
    expect(drawn).toEqual([0]);
  });

  it('is given up when every node that begins it is lost', async () => {
    const nodes = await createNodes(
      6,
      async (ctx, _, { cluster }) => {
        cluster.cut();
        await untilAborted(ctx);
      },
      { leaseMs: 100 },
    );
    const { taskId } = await startTask(await connectTo(nodes[0]!), 'render');
    await vi.waitFor(
      async () => {
        // The nodes that are left are those that have not begun it.
        for (const node of nodes) {
          const client = await connectTo(node);
          const task = await client.request('tasks/get', { taskId }).catch(() => undefined);
          if (task?.status === 'failed') return expect(task.statusMessage).toContain('it was begun 5 times');
        }
        throw new Error('the task has not failed');
      },
      { timeout: 120_000, interval: 200 },
    );
  });

  it('is told by another node that its question had no answer in time, when its node is lost', async () => {
    const [first, second] = await createNodes(2, async (ctx, node) => {
      const form = z.object({});
      const late = await ctx.elicit('Go on?', form, { timeoutMs: 500 }).catch((error: unknown) => error);
      if (!(late instanceof AnswerTimeout)) throw late;
      await ctx.elicit('And now?', form, { timeoutMs: 86_400_000 });
      return `${late.message} at ${node}`;
    });
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    await untilTask(client, taskId, 'input_required');
    first!.cluster.cut();
    const isNext = (task: object) => JSON.stringify(task).includes('And now?');
    const { inputRequests } = await untilShown(client, taskId, isNext);
    expect(Object.keys(inputRequests as object)).toEqual(['q1']);
    await client.request('tasks/update', { taskId, inputResponses: { q1: { action: 'decline' } } });
    expect(text(await untilTask(client, taskId, 'completed'))).toBe(
      'the client did not answer elicitation/create within 500 ms at 1',
    );
  });

  it('is handed over at once when its node closes', async () => {
    const { opened: started, open: start } = gate();
    const [first, second] = await createNodes(
      2,
      async (ctx, node) => {
        start();
        if (node === 0) await untilAborted(ctx);
        return `from node ${node}`;
      },
      // Nobody would look for the tasks of lost nodes in time.
      { leaseMs: 3_600_000, concurrency: 1 },
    );
    const client = await connectTo(first!);
    const running = await startTask(client, 'render');
    await started;
    const waiting = await startTask(client, 'render');
    const late = await startTask(client, 'render late');
    await first!.work.close();
    const other = await connectTo(second!);
    for (const { taskId } of [running, waiting, late])
      expect(text(await untilTask(other, taskId, 'completed'))).toBe('from node 1');
  });
});

describe('a task whose engine is durable', () => {
  it('goes on with the answers that were stored, although their node could not queue it any more', async () => {
    const engine = new LossyEngine();
    const [node] = await createNodes(1, async ctx => (await ctx.elicit('Go on?', z.object({}))).action, {
      engine,
    });
    const client = await connectTo(node!);
    const { taskId } = await startTask(client, 'render');
    const { inputRequests } = await untilTask(client, taskId, 'input_required');
    const [key] = Object.keys(inputRequests as object) as [string];
    // Such a node is killed after it has stored the answers.
    engine.losesTask = ({ delayMs = 0 }) => delayMs === 0;
    const inputResponses = { [key]: { action: 'decline' } };
    await client.request('tasks/update', { taskId, inputResponses }).catch(() => {});
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('decline');
  });

  it('is not refused as if nothing was done when it may have been queued, and cannot be removed', async () => {
    const engine = new LossyEngine();
    const [node] = await createNodes(1, () => 'done', { engine });
    const client = await connectTo(node!);
    engine.losesTask = () => true;
    const busy = { code: ERROR.busy };
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject(busy);
    engine.losesTask = () => {
      node!.cluster.cut();
      return true;
    };
    const unknown = { code: ERROR.internal, message: expect.stringContaining('it may run all the same') };
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject(unknown);
  });

  it('does not run a step again at the node that created it and has not heard yet that another one began it', async () => {
    const steps: number[] = [];
    const engines = [new LossyEngine(), new LossyEngine()] as const;
    // Each node hands what it queues to the other one, so that it begins and goes on at different ones.
    engines[0].handsTo = engines[1];
    engines[1].handsTo = engines[0];
    const [first, second] = await createNodes(
      2,
      async (ctx, node) => {
        await ctx.step('book', () => steps.push(node));
        await ctx.elicit('Go on?', z.object({}));
        return `from node ${node}`;
      },
      node => ({ engine: engines[node] as LossyEngine, leaseMs: 60_000 }),
    );
    first!.cluster.isDeaf = true;
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    const { inputRequests } = await untilTask(client, taskId, 'input_required');
    const [key] = Object.keys(inputRequests as object) as [string];
    const inputResponses = { [key]: { action: 'accept', content: {} } };
    await client.request('tasks/update', { taskId, inputResponses });
    const completed = await untilTask(client, taskId, 'completed');
    expect(steps).toEqual([1]);
    expect(text(completed)).toBe('from node 0');
  });

  it('runs again when it could not be queued after its lease was lost', async () => {
    const engine = new LossyEngine();
    let runs = 0;
    const [node] = await createNodes(
      1,
      async (ctx, _, { cluster }) => {
        if (++runs > 1) return 'done';
        cluster.cut();
        await untilAborted(ctx);
        let losses = 0;
        engine.losesTask = () => ++losses === 1;
        cluster.mend();
      },
      { engine },
    );
    const client = await connectTo(node!);
    const { taskId } = await startTask(client, 'render');
    expect(text(await untilTask(client, taskId, 'completed'))).toBe('done');
  });
});

describe('a call that became a task although the answer of the store was lost', () => {
  const isList = (key: string) => key.includes('unfinished-task');

  it('is not begun by another node after it was refused as if nothing was done', async () => {
    const begun: unknown[] = [];
    const [first, second] = await createNodes(
      2,
      async (ctx, node) => {
        begun.push(node);
        if (node === 0) await untilAborted(ctx);
        return 'done';
      },
      // Nodes look for tasks only when one of them closes, and then in the order in which the tasks were created.
      { leaseMs: 3_600_000 },
    );
    first!.cluster.losesAnswer = isList;
    const client = await connectTo(first!);
    const busy = { code: ERROR.busy };
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject(busy);
    first!.cluster.losesAnswer = () => false;
    const { taskId } = await startTask(client, 'render');
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    await first!.work.close();
    await untilTask(await connectTo(second!), taskId, 'completed');
    expect(begun).toEqual([0, 1]);
  });

  it('is not refused as if nothing was done when a node that looks for lost tasks has begun it', async () => {
    const { opened: begun, open: begin } = gate();
    const [first] = await createNodes(1, () => {
      begin();
      return 'done';
    });
    first!.cluster.losesAnswer = async key => {
      if (isList(key)) await begun;
      return isList(key);
    };
    const client = await connectTo(first!);
    const unknown = { code: ERROR.internal, message: expect.stringContaining('it may run all the same') };
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject(unknown);
  });
});

describe('while the store is away', () => {
  it('a client without tasks waits for work that was left to another process', async () => {
    const { opened: deferred, open: tell } = gate<string>();
    const [node] = await createNodes(1, () => undefined);
    node!.server.tool('order', { task: { after: 60_000 } }, async (_, ctx) => {
      tell((await ctx.task?.defer()) as string);
      node!.cluster.cut();
      return undefined as never;
    });
    const client = await connectTo(node!, { capabilities: { extensions: {} } });
    const result = client.request('tools/call', { name: 'order' });
    const token = await deferred;
    await vi.waitFor(() => expect(node!.cluster.refusals).toBeGreaterThan(0));
    node!.cluster.mend();
    await completeTask(node!.cluster, token, 'printed elsewhere');
    expect(text({ result: await result })).toBe('printed elsewhere');
  });

  it('tasks are refused with when to try again, calls that need none go on, and it heals by itself', async () => {
    const [node] = await createNodes(1, () => 'done');
    node!.server.tool('draw', { task: { after: 0 } }, async () => {
      await new Promise(resolve => setTimeout(resolve, 20));
      return 'drawn';
    });
    const client = await connectTo(node!);
    const { taskId } = await startTask(client, 'render');
    await untilTask(client, taskId, 'completed');
    node!.cluster.cut();
    const busy = { code: ERROR.busy, data: { retryAfterMs: 2000 } };
    await expect(client.request('tools/call', { name: 'render' })).rejects.toMatchObject(busy);
    await expect(client.request('tasks/get', { taskId })).rejects.toMatchObject(busy);
    const result = await client.request('tools/call', { name: 'draw' });
    expect(text({ result })).toBe('drawn');
    node!.cluster.mend();
    await untilTask(client, taskId, 'completed');
    await startTask(client, 'render');
  });
});

describe('on another node than the one that runs the task', () => {
  it('a client that listens is told what changed while its node was cut off', async () => {
    const { opened: isCut, open: go } = gate();
    const [first, second] = await createNodes(
      2,
      async ctx => {
        await isCut;
        await ctx.elicit('Go on?', z.object({}));
      },
      { leaseMs: 60_000 },
    );
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    void client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => {});
    await vi.waitFor(() => expect(client.notifications).toHaveLength(1));
    second!.cluster.cut();
    go();
    await untilTask(await connectTo(first!), taskId, 'input_required');
    second!.cluster.mend();
    await vi.waitFor(() =>
      expect(client.notifications.at(-1)?.params).toMatchObject({ taskId, status: 'input_required' }),
    );
  });

  it('questions are answered, the task is cancelled, and its changes are heard', async () => {
    const { opened: aborted, open: abort } = gate<unknown>();
    const [first, second] = await createNodes(
      2,
      async ctx => {
        await ctx.elicit('Go on?', z.object({}));
        ctx.progress(1, { message: 'going on' });
        await untilAborted(ctx);
        abort(ctx.signal.reason);
      },
      // Generous: no node is lost here, and a busy machine must not look as if one were.
      { leaseMs: 60_000 },
    );
    const { taskId } = await startTask(await connectTo(first!), 'render');
    const client = await connectTo(second!);
    const { inputRequests } = await untilTask(client, taskId, 'input_required');
    const [key] = Object.keys(inputRequests as object) as [string];
    void client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } }).catch(() => {});
    await vi.waitFor(() => expect(client.notifications).toHaveLength(1));
    await client.request('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
    const heard = () => client.notifications.slice(1).map(({ params }) => params);
    await vi.waitFor(() => expect(heard().at(-1)).toMatchObject({ statusMessage: 'going on' }), {
      timeout: 120_000,
    });
    await (await connectTo(second!)).request('tasks/cancel', { taskId });
    expect(String(await aborted)).toContain('the task was cancelled');
    await vi.waitFor(() => expect(heard().at(-1)).toMatchObject({ status: 'cancelled' }));
  });
});
