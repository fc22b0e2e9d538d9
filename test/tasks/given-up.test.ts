import { expect, it } from 'vitest';
import type { EngineHandler, TaskEngine } from '../../src/server/tasks/index.js';
import { connectTo, createStudio, startTask, untilTask } from './studio.js';

/** An engine that runs tasks when the test says so. */
function handEngine(): TaskEngine & { run(taskId: string, signal?: AbortSignal): ReturnType<EngineHandler> } {
  let work: EngineHandler | undefined;
  let runs = 0;
  return {
    isDurable: true,
    attach() {},
    enqueue: async () => {},
    work: async handler => {
      work = handler;
      return { close: async () => {} };
    },
    close: async () => {},
    run: (taskId, signal = new AbortController().signal) =>
      (work as EngineHandler)({ taskId, isFirst: ++runs === 1, isLast: false, signal }),
  };
}

it('a task that is handed over by nodes that close is not given up', async () => {
  const engine = handEngine();
  const studio = createStudio({ engine });
  let runs = 0;
  studio.server.tool('render', { task: 'always' }, (_, ctx) => {
    runs++;
    if (runs > 7) return 'a film';
    return new Promise<string>((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
    });
  });
  const client = await connectTo(studio);
  const { taskId } = await startTask(client, 'render');
  for (let node = 0; node < 7; node++) {
    const closing = new AbortController();
    const run = engine.run(taskId, closing.signal);
    await expect.poll(() => runs).toBe(node + 1);
    closing.abort();
    expect(await run).toBeUndefined();
  }
  expect(await engine.run(taskId)).toBeUndefined();
  expect(await untilTask(client, taskId, 'completed', 'failed')).toMatchObject({ status: 'completed' });
  await client.close();
});

it('the reason is told again if the process died before the engine knew it', async () => {
  const engine = handEngine();
  // The lease is over at once, as if the node were gone.
  const studio = createStudio({ engine, leaseMs: 1 });
  let runs = 0;
  studio.server.tool('render', { task: 'always' }, () => {
    runs++;
    return new Promise<string>(() => {});
  });
  const client = await connectTo(studio);
  const { taskId } = await startTask(client, 'render');
  const reason = { reason: expect.stringContaining('the task was given up') };
  const outcomes: unknown[] = [];
  const lastOutcome = () => {
    void engine.run(taskId).then(outcome => outcomes.push(outcome));
    return outcomes.at(-1);
  };
  await expect.poll(lastOutcome).toEqual(reason);
  expect(runs).toBe(5);
  expect(await engine.run(taskId)).toEqual(reason);
  await client.close();
});
