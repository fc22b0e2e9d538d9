import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectTarget } from '../../src/client/index.js';
import { listTasks, resumeTask, type TaskHandle, tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';
import type { Progress } from '../../src/protocol/call.js';
import { failure } from '../client-faults/connected.js';
import { EVERYTHING, ROOT } from '../interop-client/servers/child.js';
import { serveV1 } from '../interop-client/servers/v1-http.js';
import { program } from '../programs/program.js';
import { createOfficialServer } from './official-server.js';
import { QUICK } from './raw-tasks.js';

async function overHttp(): Promise<ConnectTarget> {
  const store = new InMemoryTaskStore();
  const serving = await serveV1(() => createOfficialServer(store));
  onTestFinished(() => serving.close());
  return `${serving.origin}/mcp`;
}

async function overStdio(): Promise<ConnectTarget> {
  return {
    command: process.execPath,
    args: [program('test/tasks-client/official-stdio.ts')],
    cwd: ROOT,
  };
}

describe.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])('tools of the official SDK that run as tasks of 2025-11-25, over %s', (_, open) => {
  const onElicit = () => ({ action: 'accept' as const, content: { colour: 'blue' } });

  async function client(target: ConnectTarget) {
    const made = await connect(target, { extensions: [tasksClient(QUICK)], onElicit, onWarning: () => {} });
    onTestFinished(() => made.close());
    return made;
  }

  it('are followed to their end, with their questions and their progress', async () => {
    const one = await client(await open());
    expect(one.revision).toBe('2025-11-25');
    const plain = await one.callTool('render', { scene: 'kitchen' });
    expect(plain.content).toEqual([{ type: 'text', text: 'kitchen in white' }]);
    const told: TaskHandle[] = [];
    const progress: Progress[] = [];
    const options = {
      task: { ttlMs: 120_000 },
      onTask: (task: TaskHandle) => told.push(task),
      onProgress: (seen: Progress) => progress.push(seen),
    };
    const asked = await one.callTool('render', { scene: 'garden', asks: true }, options);
    expect(asked.content).toEqual([{ type: 'text', text: 'garden in blue' }]);
    expect(told[0]).toMatchObject({ tool: 'render', status: 'working', ttlMs: 120_000, pollIntervalMs: 20 });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    const tasks = await listTasks(one);
    expect(tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('are cancelled when the signal of their call aborts', async () => {
    const one = await client(await open());
    const controller = new AbortController();
    const call = one.callTool(
      'render',
      { scene: 'kitchen', waits: true },
      { signal: controller.signal, onTask: () => controller.abort() },
    );
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });
    expect(await listTasks(one)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('end with an error if they are cancelled elsewhere', async () => {
    const one = await client(await open());
    const call = one.callTool(
      'render',
      { scene: 'kitchen', waits: true },
      {
        onTask: ({ taskId, status }) => status === 'working' && void one.request('tasks/cancel', { taskId }),
      },
    );
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });
  });

  it('can be resumed with their handle, also after their end', async () => {
    const one = await client(await open());
    const handles: TaskHandle[] = [];
    await one.callTool('render', { scene: 'kitchen' }, { onTask: task => handles.push(task) });
    const again = await resumeTask(one, JSON.stringify(handles[0]));
    expect(again.content).toEqual([{ type: 'text', text: 'kitchen in white' }]);
  });
});

it('the reference server runs a tool that must be a task, and asks within it', async () => {
  const client = await connect(
    { command: process.execPath, args: [EVERYTHING, 'stdio'], cwd: ROOT },
    {
      extensions: [tasksClient({ maxPollMs: 50, minPollMs: 10 })],
      onElicit: form => {
        const [name, field] = Object.entries(form.requestedSchema.properties as object)[0] as [string, any];
        return {
          action: 'accept',
          content: { [name]: field.oneOf?.[0].const ?? field.enum?.[0] ?? 'otters' },
        };
      },
      onWarning: () => {},
    },
  );
  onTestFinished(() => client.close());
  const messages = new Set<string | undefined>();
  const result = await client.callTool(
    'simulate-research-query',
    { topic: 'otters', ambiguous: true },
    { onTask: ({ statusMessage }) => void messages.add(statusMessage) },
  );
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('otters') });
  expect(messages.size).toBeGreaterThan(2);
});
