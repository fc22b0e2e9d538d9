import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { ERROR } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { connectRaw } from '../raw-client.js';
import { createFilmStudio } from './film-studio.js';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

let running: RunningHttpServer;
beforeAll(async () => {
  running = await listen(createFilmStudio(), {
    keys: freshKeys(),
    authenticate: ({ header }) => ({ principal: header('x-user') ?? 'nobody' }),
  });
});
afterAll(() => running?.close(0));

const TRANSPORTS: Record<string, (user: string) => Transport> = {
  'Streamable HTTP': user =>
    new StreamableHTTPClientTransport(new URL(running.url), {
      requestInit: { headers: { 'x-user': user } },
    }) as Transport,
  stdio: () =>
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', 'tsx', 'test/tasks/film-studio-stdio.ts'],
    }),
};

interface Host {
  client: Client;
  /** The questions that the client was asked, with the task that they belong to. */
  asked: { message: string; taskId: unknown }[];
  statuses: string[];
}

async function open(transport: Transport): Promise<Host> {
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  const asked: Host['asked'] = [];
  const statuses: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    const related = params._meta?.[RELATED_TASK] as { taskId?: unknown } | undefined;
    asked.push({ message: params.message, taskId: related?.taskId });
    return { action: 'accept', content: { name: params.message.includes('hero') ? 'Ada' : 'Bob' } };
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
    statuses.push(params.status);
  });
  await client.connect(transport);
  return { client, asked, statuses };
}

/** Calls a tool as a task, and returns all messages of the stream. */
async function callAsTask(client: Client, name: string) {
  const messages = [];
  const stream = client.experimental.tasks.callToolStream({ name }, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  for await (const message of stream) messages.push(message);
  return messages;
}

describe.each(Object.keys(TRANSPORTS))('the tasks of 2025-11-25 with the official client over %s', name => {
  let host: Host;
  beforeAll(async () => {
    host = await open(TRANSPORTS[name]!('ada'));
  });
  afterAll(() => host?.client.close());

  it('are declared, for the server and for each tool', async () => {
    expect(host.client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const { tools } = await host.client.listTools();
    const support = Object.fromEntries(tools.map(tool => [tool.name, tool.execution?.taskSupport]));
    expect(support).toMatchObject({ greet: undefined, cast: 'optional', burn: 'required' });
  });

  it('ask their questions while the client waits for the result, and end with it', async () => {
    host.asked.length = 0;
    const messages = await callAsTask(host.client, 'cast');
    const [created] = messages;
    if (created?.type !== 'taskCreated') throw new Error(JSON.stringify(created));
    const { taskId } = created.task;
    expect(created.task).toMatchObject({ status: 'working', ttl: 60_000 });
    const last = messages.at(-1);
    if (last?.type !== 'result') throw new Error(JSON.stringify(messages));
    expect(last.result.structuredContent).toMatchObject({ hero: 'Ada', villain: 'Bob' });
    expect(last.result._meta?.[RELATED_TASK]).toEqual({ taskId });
    expect(host.asked).toEqual([
      { message: 'Who is the hero?', taskId },
      { message: 'Who is the villain?', taskId },
    ]);
    expect(await host.client.experimental.tasks.getTask(taskId)).toMatchObject({
      taskId,
      status: 'completed',
    });
    const again = await host.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(again.structuredContent).toEqual(last.result.structuredContent);
    const { tasks } = await host.client.experimental.tasks.listTasks();
    expect(tasks.map(task => task.taskId)).toContain(taskId);
  });

  it('fail with a failure for the model and with an error, and the result says which', async () => {
    const burnt = await callAsTask(host.client, 'burn');
    const [created] = burnt;
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : '';
    expect(await host.client.experimental.tasks.getTask(taskId)).toMatchObject({ status: 'failed' });
    const result = await host.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(result).toMatchObject({ isError: true, content: [{ text: 'no oxygen' }] });
    const broken = await callAsTask(host.client, 'break');
    const id = broken[0]?.type === 'taskCreated' ? broken[0].task.taskId : '';
    const failing = host.client.experimental.tasks.getTaskResult(id, CallToolResultSchema);
    await expect(failing).rejects.toMatchObject({ code: ERROR.internal, data: { lens: 3 } });
  });

  it('are cancelled once', async () => {
    const created = await host.client.request(
      { method: 'tools/call', params: { name: 'wait', task: {} } },
      CreateTaskResultSchema,
    );
    const { taskId } = created.task;
    const cancelled = await host.client.experimental.tasks.cancelTask(taskId);
    expect(cancelled).toMatchObject({ taskId, status: 'cancelled' });
    const again = host.client.experimental.tasks.cancelTask(taskId);
    await expect(again).rejects.toMatchObject({ code: ERROR.invalidParams });
    const result = host.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    await expect(result).rejects.toThrow('the task was cancelled');
    await vi.waitFor(() => expect(host.statuses).toContain('cancelled'), { timeout: 30_000 });
  });

  it('are refused where a tool does not have them, and demanded where it has nothing else', async () => {
    const { client } = host;
    const refused = { code: ERROR.methodNotFound };
    await expect(
      client.request({ method: 'tools/call', params: { name: 'greet', task: {} } }, CallToolResultSchema),
    ).rejects.toMatchObject(refused);
    await expect(
      client.request({ method: 'tools/call', params: { name: 'burn' } }, CallToolResultSchema),
    ).rejects.toMatchObject(refused);
    const plain = await client.request(
      { method: 'tools/call', params: { name: 'cast' } },
      CallToolResultSchema,
    );
    expect(plain.structuredContent).toMatchObject({ hero: 'Ada', villain: 'Bob' });
  });

  it('do not exist if their ids or cursors are unknown', async () => {
    const invalid = { code: ERROR.invalidParams };
    const { tasks } = host.client.experimental;
    for (const id of ['x', crypto.randomUUID()]) {
      await expect(tasks.getTask(id)).rejects.toMatchObject(invalid);
      await expect(tasks.cancelTask(id)).rejects.toMatchObject(invalid);
      await expect(tasks.getTaskResult(id, CallToolResultSchema)).rejects.toMatchObject(invalid);
    }
    await expect(tasks.listTasks('x')).rejects.toMatchObject(invalid);
  });
});

describe('the tasks of 2025-11-25', () => {
  it('belong to their principal', async () => {
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map(user => open(TRANSPORTS['Streamable HTTP']!(user))),
    );
    const [created] = await callAsTask(ada!.client, 'burn');
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : '';
    await expect(bob!.client.experimental.tasks.getTask(taskId)).rejects.toMatchObject({
      code: ERROR.invalidParams,
    });
    expect((await bob!.client.experimental.tasks.listTasks()).tasks).toEqual([]);
    await Promise.all([ada!.client.close(), bob!.client.close()]);
  });

  it('cannot be listed by clients that cannot be told apart, and have no methods of the extension', async () => {
    const client = await connectRaw(createFilmStudio(), { revision: '2025-11-25' });
    const missing = { code: ERROR.methodNotFound };
    await expect(client.request('tasks/list')).rejects.toMatchObject(missing);
    await expect(client.request('tasks/update', { taskId: 'x' })).rejects.toMatchObject(missing);
    const older = await connectRaw(createFilmStudio(), { revision: '2025-06-18' });
    await expect(older.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject(missing);
  });
});
