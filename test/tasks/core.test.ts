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
import { z } from 'zod';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { ERROR, inputRequired, McpError } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { program } from '../programs/program.js';
import { connectRaw } from '../raw-client.js';
import { createFilmStudio } from './film-studio.js';
import { connectAs, connectTo, createStudio, gate, type Studio } from './studio.js';

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
      args: [program('test/tasks/film-studio-stdio.ts')],
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

  // covers: 2025-11-25/tasks/capability-is-declared
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

  // covers: 2025-11-25/tasks/needs-input, 2025-11-25/tasks/questions-name-their-task
  // covers: 2025-11-25/tasks/leaves-input-required, 2025-11-25/tasks/created-at
  // covers: 2025-11-25/tasks/last-updated-at, 2025-11-25/tasks/ttl-is-told
  // covers: 2025-11-25/tasks/creation-is-the-response, 2025-11-25/tasks/creation-is-quick
  // covers: 2025-11-25/tasks/begins-as-working, 2025-11-25/tasks/task-id-is-a-string
  // covers: 2025-11-25/tasks/task-id-comes-from-the-receiver, 2025-11-25/tasks/result-waits
  // covers: 2025-11-25/tasks/result-of-an-ended-task, 2025-11-25/tasks/result-is-the-same
  // covers: 2025-11-25/tasks/related-task, 2025-11-25/tasks/result-names-its-task
  // covers: 2025-11-25/tasks/no-related-task-where-it-is-known, 2025-11-25/tasks/list-is-complete
  // covers: 2025-11-25/tasks/valid-transitions
  it('ask their questions while the client waits for the result, and end with it', async () => {
    host.asked.length = 0;
    host.statuses.length = 0;
    const messages = await callAsTask(host.client, 'cast');
    const [created] = messages;
    if (created?.type !== 'taskCreated') throw new Error(JSON.stringify(created));
    const { taskId } = created.task;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const shown = { ttl: 60_000, createdAt: time, lastUpdatedAt: time };
    expect(created.task).toMatchObject({ status: 'working', ...shown });
    const last = messages.at(-1);
    if (last?.type !== 'result') throw new Error(JSON.stringify(messages));
    expect(last.result.structuredContent).toMatchObject({ hero: 'Ada', villain: 'Bob' });
    expect(last.result._meta?.[RELATED_TASK]).toEqual({ taskId });
    expect(host.asked).toEqual([
      { message: 'Who is the hero?', taskId },
      { message: 'Who is the villain?', taskId },
    ]);
    const ended = await host.client.experimental.tasks.getTask(taskId);
    expect(ended).toMatchObject({ taskId, status: 'completed', ...shown });
    expect(ended._meta).toBeUndefined();
    // Notices are collected for a moment, so the last one may come after the result.
    const seen = () => host.statuses.filter((status, at, all) => status !== all[at - 1]);
    await expect.poll(() => seen().join()).toMatch(/^(working,)?(input_required,working,){2}completed$/);
    const again = await host.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(again.structuredContent).toEqual(last.result.structuredContent);
    const { tasks } = await host.client.experimental.tasks.listTasks();
    expect(tasks.map(task => task.taskId)).toContain(taskId);
  });

  // covers: 2025-11-25/tasks/result-of-an-ended-task, 2025-11-25/tasks/result-is-the-same
  // covers: 2025-11-25/tasks/failures-have-a-message
  it('fail with a failure for the model and with an error, and the result says which', async () => {
    const burnt = await callAsTask(host.client, 'burn');
    const [created] = burnt;
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : '';
    expect(await host.client.experimental.tasks.getTask(taskId)).toMatchObject({
      status: 'failed',
      statusMessage: 'no oxygen',
    });
    const result = await host.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(result).toMatchObject({ isError: true, content: [{ text: 'no oxygen' }] });
    const broken = await callAsTask(host.client, 'break');
    const id = broken[0]?.type === 'taskCreated' ? broken[0].task.taskId : '';
    expect(await host.client.experimental.tasks.getTask(id)).toMatchObject({
      status: 'failed',
      statusMessage: 'the lens broke',
    });
    const failing = host.client.experimental.tasks.getTaskResult(id, CallToolResultSchema);
    await expect(failing).rejects.toMatchObject({ code: ERROR.internal, data: { lens: 3 } });
  });

  // covers: 2025-11-25/tasks/ended-tasks-cannot-be-cancelled, 2025-11-25/tasks/cancelled-before-the-response
  // covers: 2025-11-25/tasks/ended-tasks-stay, 2025-11-25/cancellation/tasks-are-cancelled-by-request
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
    await vi.waitFor(() => expect(host.statuses).toContain('cancelled'), { timeout: 120_000 });
  });

  // covers: 2025-11-25/tasks/forbidden-task-is-32601, 2025-11-25/tasks/missing-task-is-32601
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

  // covers: 2025-11-25/tasks/errors-are-standard, 2025-11-25/tasks/errors-inform
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

/** A server whose tools ask for a name, in different ways. */
function createAskingStudio(): Studio {
  const studio = createStudio();
  const form = z.object({ name: z.string() });
  studio.server.tool('ask', { task: 'always' }, async (_, ctx) => (await ctx.elicit('Who?', form)).action);
  studio.server.tool('return', { task: 'always' }, () => {
    const params = { message: 'Who?', requestedSchema: z.toJSONSchema(form) };
    return inputRequired({ requests: { name: { method: 'elicitation/create', params } } });
  });
  studio.server.tool('catch', { task: 'always' }, (_, ctx) =>
    ctx.elicit('Who?', form).then(
      ({ action }) => action,
      error => `caught ${error.reason}`,
    ),
  );
  return studio;
}

describe('the tasks of 2025-11-25', () => {
  // covers: 2025-11-25/tasks/bound-to-the-context, 2025-11-25/tasks/foreign-tasks-are-refused
  // covers: 2025-11-25/tasks/foreign-tasks-are-not-listed
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

  // covers: 2025-11-25/tasks/cancel-stops-work, 2025-11-25/tasks/cancelled-stays-cancelled
  // covers: 2025-11-25/tasks/task-id-of-the-params-counts, 2025-11-25/tasks/rate-is-limited
  // covers: 2025-11-25/tasks/resources-are-limited, 2025-11-25/tasks/list-has-pages
  // covers: 2025-11-25/tasks/list-has-cursors
  it('stop when they are cancelled, are listed in pages, and limited in rate and number', async () => {
    const studio = createStudio({ maxTasks: 120 });
    const { opened: started, open: begin } = gate();
    const { opened: aborted, open: abort } = gate();
    studio.server.tool('wait', { task: 'always' }, async (_, ctx) => {
      begin();
      await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
      abort();
      return 'too late';
    });
    studio.server.tool('draw', { task: 'always' }, () => 'drawn');
    const client = await connectAs(studio, 'ada', { revision: '2025-11-25' });
    const start = async (name: string) => {
      const { task } = await client.request('tools/call', { name, task: {} });
      return (task as { taskId: string }).taskId;
    };
    const taskId = await start('wait');
    await started;
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ status: 'cancelled' });
    await aborted;
    const _meta = { [RELATED_TASK]: { taskId: await start('draw') } };
    expect(await client.request('tasks/get', { taskId, _meta })).toMatchObject({
      taskId,
      status: 'cancelled',
    });
    await Promise.all(Array.from({ length: 118 }, () => start('draw')));
    await expect(start('draw')).rejects.toMatchObject({ code: ERROR.busy });
    const first = await client.request('tasks/list');
    expect(first.tasks).toHaveLength(100);
    const second = await client.request('tasks/list', { cursor: first.nextCursor });
    expect(second.tasks).toHaveLength(20);
    expect(second).not.toHaveProperty('nextCursor');
    const polls = Array.from({ length: 100 }, () => client.request('tasks/get', { taskId }));
    const refused = (await Promise.allSettled(polls)).find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: ERROR.busy } });
  });

  it.each([
    ['asks itself', 'ask'],
    ['returns its questions', 'return'],
  ])('end when a client answers a question with an error, if the handler %s', async (_, tool) => {
    const studio = createAskingStudio();
    const answers = {
      'elicitation/create': () => {
        throw new McpError(-1, 'the user said no');
      },
    };
    const client = await connectTo(studio, { revision: '2025-11-25', answers });
    const { task } = await client.request('tools/call', { name: tool, task: {} });
    const { taskId } = task as { taskId: string };
    const text = 'the client answered elicitation/create with an error: the user said no';
    expect(await client.request('tasks/result', { taskId })).toMatchObject({
      isError: true,
      content: [{ text }],
    });
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['is no result of the question', { action: 'maybe' }],
    ['does not fit the form', { action: 'accept', content: { name: 5 } }],
  ])('let the handler know of an answer that %s', async (_, answer) => {
    const client = await connectTo(createAskingStudio(), {
      revision: '2025-11-25',
      answers: { 'elicitation/create': () => answer },
    });
    const { task } = await client.request('tools/call', { name: 'catch', task: {} });
    const { taskId } = task as { taskId: string };
    const { content } = await client.request('tasks/result', { taskId });
    expect(content).toMatchObject([{ text: 'caught invalid-answer' }]);
  });

  // covers: 2025-11-25/tasks/needs-input
  it('ask their question again at once when the client that was asked is gone', async () => {
    const studio = createAskingStudio();
    const { opened: asked, open: ask } = gate();
    const silent = () => {
      ask();
      return new Promise<object>(() => {});
    };
    const gone = await connectTo(studio, {
      revision: '2025-11-25',
      answers: { 'elicitation/create': silent },
    });
    const { task } = await gone.request('tools/call', { name: 'ask', task: {} });
    const { taskId } = task as { taskId: string };
    void gone.request('tasks/result', { taskId }).catch(() => {});
    await asked;
    const client = await connectTo(studio, {
      revision: '2025-11-25',
      answers: { 'elicitation/create': () => ({ action: 'decline' }) },
    });
    const { content } = await client.request('tasks/result', { taskId });
    expect(content).toMatchObject([{ text: 'decline' }]);
  });

  it('return their result to a client that is being asked when another one cancels them', async () => {
    const { opened: asked, open: ask } = gate();
    const client = await connectTo(createAskingStudio(), {
      revision: '2025-11-25',
      answers: {
        'elicitation/create': () => {
          ask();
          return new Promise(() => {});
        },
      },
    });
    const { task } = await client.request('tools/call', { name: 'ask', task: {} });
    const { taskId } = task as { taskId: string };
    const result = client.request('tasks/result', { taskId });
    await asked;
    await client.request('tasks/cancel', { taskId });
    await expect(result).rejects.toThrow('the task was cancelled');
  });

  it('are refused with an error if the arguments do not fit, where a plain call has a result', async () => {
    const studio = createStudio();
    studio.server.tool('draw', { task: 'auto', input: z.object({ size: z.number() }) }, () => 'drawn');
    const client = await connectTo(studio, { revision: '2025-11-25' });
    const params = { name: 'draw', arguments: { size: 'large' } };
    expect(await client.request('tools/call', params)).toMatchObject({ isError: true });
    await expect(client.request('tools/call', { ...params, task: {} })).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: expect.stringContaining('invalid arguments for tool "draw"'),
    });
  });

  // covers: 2025-11-25/tasks/no-list-without-identity, 2025-11-25/tasks/ids-cannot-be-guessed
  // covers: 2025-11-25/tasks/task-id-is-unique
  it('cannot be listed by clients that cannot be told apart, and have no methods of the extension', async () => {
    const client = await connectRaw(createFilmStudio(), { revision: '2025-11-25' });
    const missing = { code: ERROR.methodNotFound };
    await expect(client.request('tasks/list')).rejects.toMatchObject(missing);
    const ids = await Promise.all(
      ['burn', 'burn'].map(async name => {
        const { task } = await client.request('tools/call', { name, task: {} });
        return (task as { taskId: string }).taskId;
      }),
    );
    expect(new Set(ids).size).toBe(2);
    const random = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const id of ids) expect(id).toMatch(random);
    await expect(client.request('tasks/update', { taskId: 'x' })).rejects.toMatchObject(missing);
    const older = await connectRaw(createFilmStudio(), { revision: '2025-06-18' });
    await expect(older.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject(missing);
  });
});
