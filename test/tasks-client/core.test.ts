import { describe, expect, it, vi } from 'vitest';
import { cancelTask, getTask, listTasks, resumeTask, type TaskHandle } from '../../src/client/tasks/index.js';
import { NotSupported, UsageError } from '../../src/node/client/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { coreTask, DONE, inTurn, pairWithTasks, results, TASK_ID, withCoreTasks } from './raw-tasks.js';

const RELATED = 'io.modelcontextprotocol/related-task';
const result = (value: object) => ({ 'tasks/result': (ask: any) => ask.result(value) });
const QUESTION = {
  method: 'elicitation/create',
  params: {
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
    _meta: { [RELATED]: { taskId: TASK_ID } },
  },
};
const HANDLE: TaskHandle = {
  taskId: TASK_ID,
  tool: 'optional',
  status: 'working',
  ttlMs: null,
  answered: [],
};

describe('a call of a tool on 2025-11-25', () => {
  // covers: 2025-11-25/tasks/polling-goes-on, 2025-11-25/tasks/status-notices-are-optional
  // covers: 2025-11-25/tasks/no-related-task-where-it-is-known
  it('becomes a task if the client asks for one, and its result is fetched when it is done', async () => {
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('working'), coreTask('completed')),
        ...result({ ...DONE, _meta: { [RELATED]: { taskId: TASK_ID } } }),
      }),
    );
    expect(await client.callTool('optional', { a: 1 }, { task: { ttlMs: 30_000 } })).toMatchObject(DONE);
    expect(server.of('tools/call')[0]?.message.params).toEqual({
      name: 'optional',
      arguments: { a: 1 },
      task: { ttl: 30_000 },
    });
    expect(server.of('tasks/get')[0]?.message.params).toEqual({ taskId: TASK_ID });
    expect(server.of('tasks/result')).toHaveLength(1);
  });

  // covers: 2025-11-25/tasks/required-tools-are-tasks, 2025-11-25/tasks/forbidden-tools-are-not-tasks
  it.each<[string, string, boolean | undefined, boolean]>([
    ['is not a task if it may be one and nobody asks', 'optional', undefined, false],
    ['is a task if it must be one', 'required', undefined, true],
    ['is not a task if the caller does not want it', 'optional', false, false],
    ['is not a task if it must not be one', 'forbidden', true, false],
    ['is not a task if the tool does not say that it can', 'plain', true, false],
    ['is not a task if the server does not list the tool', 'unknown', true, false],
  ])('%s', async (_, name, task, isTask) => {
    const { client, server } = await pairWithTasks(
      withCoreTasks({ 'tasks/get': results(coreTask('completed')), ...result(DONE) }),
    );
    await client.callTool(name, {}, { task });
    expect('task' in server.of('tools/call')[0]!.message.params).toBe(isTask);
  });

  // covers: 2025-11-25/tasks/required-tools-are-tasks
  it('is not sent if it must be a task, and the caller does not want one', async () => {
    const { client, server } = await pairWithTasks(withCoreTasks({}));
    const error = await failure(client.callTool('required', {}, { task: false }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe('the tool required only runs as a task: leave out task: false');
    expect(server.of('tools/call')).toEqual([]);
  });

  it('is not a task on a revision that has none, whatever the server declares', async () => {
    const { client, server } = await pairWithTasks(withCoreTasks({}), { revision: '2025-06-18' });
    await client.callTool('required', {}, { task: true });
    expect(server.of('tools/call')[0]?.message.params).not.toHaveProperty('task');
    await expect(getTask(client, TASK_ID)).rejects.toThrow(NotSupported);
    expect(server.of('tasks/get')).toEqual([]);
  });

  it.each([{ onTask: () => {} }, { task: true }])('needs tasksClient() for %o', async options => {
    const { client, server } = await pair(withCoreTasks({}));
    const error = await failure(client.callTool('optional', {}, options));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain('need extensions: [tasksClient()]');
    expect(server.of('tools/call')).toEqual([]);
  });

  // covers: 2025-11-25/tasks/client-needs-the-capability, 2025-11-25/tasks/only-declared-requests
  it.each<[string, object]>([
    ['declares no tasks', {}],
    ['declares tasks for other requests', { tasks: { list: {}, cancel: {} } }],
  ])('is not a task if the server %s', async (_, tasks) => {
    const { client, server } = await pairWithTasks(withCoreTasks({}, tasks));
    await client.callTool('required', {}, { task: true });
    expect(server.of('tools/call')[0]?.message.params).not.toHaveProperty('task');
    expect(server.of('tools/list')).toEqual([]);
  });

  it('is sent again as a task if the tool has changed and must be one now', async () => {
    let mustBe = false;
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tools/list': ask =>
          ask.result({
            tools: [
              {
                name: 'render',
                inputSchema: { type: 'object' },
                execution: { taskSupport: mustBe ? 'required' : 'forbidden' },
              },
            ],
          }),
        'tools/call': ask => {
          if (!mustBe) return ask.text('plain');
          if (!ask.message.params.task) return ask.error(-32601, 'this tool must be a task');
          ask.result({ task: coreTask('working') });
        },
        'tasks/get': results(coreTask('completed')),
        ...result(DONE),
      }),
    );
    await client.callTool('render');
    mustBe = true;
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('tools/list')).toHaveLength(2);
    expect(server.of('tools/call')).toHaveLength(3);
  });

  it('returns the result at once if the server did the work at once', async () => {
    const { client } = await pairWithTasks(withCoreTasks({ 'tools/call': ask => ask.result(DONE) }));
    expect(await client.callTool('optional', {}, { task: true })).toEqual(DONE);
  });
});

describe('a task of 2025-11-25', () => {
  // covers: 2025-11-25/tasks/messages-on-any-stream
  it('is looked at as soon as a notification says that it has changed', async () => {
    let stream: any;
    const { client } = await pairWithTasks(
      withCoreTasks({
        GET: ask => {
          stream = ask.stream();
        },
        'tools/call': ask => {
          ask.result({ task: coreTask('working', { pollInterval: 3600_000 }) });
          const params = coreTask('completed');
          stream.event({ jsonrpc: '2.0', method: 'notifications/tasks/status', params });
        },
        'tasks/get': results(coreTask('completed')),
        ...result(DONE),
      }),
      { tasks: { maxPollMs: 3600_000 }, onElicit: () => ({ action: 'cancel' }) },
    );
    expect(await client.callTool('required')).toEqual(DONE);
  });

  // covers: 2025-11-25/tasks/result-is-asked-for-early, 2025-11-25/tasks/related-task
  it('asks its questions with tasks/result, and the answers say which task they belong to', async () => {
    let open: any;
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': ask => ask.result(coreTask(open?.isAnswered ? 'completed' : 'input_required')),
        'tasks/result': ask => {
          open = ask.stream().event({ jsonrpc: '2.0', id: 'q1', ...QUESTION });
        },
        POST: ask => {
          ask.send(202);
          open.isAnswered = true;
          open.event(open.resultMessage(DONE)).response.end();
        },
      }),
      { onElicit: () => ({ action: 'accept', content: { colour: 'blue' } }) },
    );
    expect(await client.callTool('required')).toEqual(DONE);
    expect(server.of('tasks/result')).toHaveLength(1);
    expect(server.of('POST')[0]?.message).toMatchObject({
      id: 'q1',
      result: {
        action: 'accept',
        content: { colour: 'blue' },
        _meta: { [RELATED]: { taskId: TASK_ID } },
      },
    });
  });

  it('ends with the error that the call would have ended with', async () => {
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('failed', { statusMessage: 'no paint' })),
        'tasks/result': ask => ask.error(-32602, 'no such scene'),
      }),
    );
    expect(await failure(client.callTool('required'))).toMatchObject({
      code: -32602,
      message: 'no such scene',
    });
  });

  it.each([
    ['completed', DONE],
    ['failed', { ...DONE, isError: true }],
  ])('whose result comes before its state is told as %s', async (status, value) => {
    const seen: string[] = [];
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('input_required', { statusMessage: 'paint is missing' })),
        ...result(value),
      }),
    );
    const onTask = (told: TaskHandle) => seen.push(`${told.status} ${told.statusMessage ?? ''}`);
    expect(await client.callTool('required', {}, { onTask })).toEqual(value);
    expect(seen).toEqual(['working ', 'input_required paint is missing', `${status} `]);
  });

  it.each([
    ['refuses its result', -32603, 'the client answered with an error'],
    ['does not let its result be fetched before its end', -32600, 'not yet'],
  ])('whose server %s ends with that error, after one question', async (_, code, message) => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: {} }));
    let open: any;
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('input_required')),
        'tasks/result': ask => {
          open = ask.stream().event({ jsonrpc: '2.0', id: 'q1', ...QUESTION });
        },
        POST: ask => {
          ask.send(202);
          const { id } = open.message;
          open.event({ jsonrpc: '2.0', id, error: { code, message } }).response.end();
        },
      }),
      { onElicit },
    );
    expect(await failure(client.callTool('required'))).toMatchObject({ kind: 'mcp', code, message });
    expect(onElicit).toHaveBeenCalledTimes(1);
    expect(server.of('tasks/result')).toHaveLength(1);
  });

  it('that is cancelled elsewhere while its result is awaited says so', async () => {
    let isCancelled = false;
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': ask => ask.result(coreTask(isCancelled ? 'cancelled' : 'input_required')),
        'tasks/result': ask => {
          isCancelled = true;
          ask.error(-32603, 'the task was cancelled');
        },
      }),
    );
    expect(await failure(client.callTool('required'))).toMatchObject({ kind: 'cancelled' });
  });

  it('returns a failed result', async () => {
    const failed = { content: [], isError: true };
    const { client } = await pairWithTasks(
      withCoreTasks({ 'tasks/get': results(coreTask('failed')), ...result(failed) }),
    );
    expect(await client.callTool('required')).toEqual(failed);
  });

  it('is fetched again if its result could not be fetched', async () => {
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('completed')),
        'tasks/result': inTurn(
          ask => ask.send(503),
          ask => ask.error(-31503, 'busy'),
          ask => ask.request.socket.destroy(),
          ask => ask.result(DONE),
        ),
      }),
    );
    expect(await client.callTool('required')).toEqual(DONE);
  });

  it('whose result belongs to another one is not believed', async () => {
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('completed')),
        ...result({ ...DONE, _meta: { [RELATED]: { taskId: 'another' } } }),
      }),
    );
    expect(await failure(client.callTool('required'))).toMatchObject({
      kind: 'invalid-answer',
      message: `tasks/result was answered for the task "another", not for ${TASK_ID}`,
    });
  });

  it('whose result never comes ends when its time to live is over', async () => {
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tools/call': ask => ask.result({ task: coreTask('working', { ttl: 60 }) }),
        'tasks/get': results(coreTask('completed', { ttl: 60 })),
        'tasks/result': () => {},
      }),
    );
    expect(await failure(client.callTool('required'))).toMatchObject({ kind: 'timeout' });
  });

  it('goes back from its end, which is not believed', async () => {
    const { client } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('completed'), coreTask('working')),
        'tasks/result': () => {},
      }),
    );
    expect(await failure(client.callTool('required'))).toMatchObject({ kind: 'invalid-answer' });
  });

  // covers: 2025-11-25/cancellation/tasks-are-cancelled-by-request
  it('is cancelled by the signal of its call also while its result is awaited', async () => {
    const controller = new AbortController();
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tasks/get': results(coreTask('input_required')),
        'tasks/result': () => controller.abort(),
      }),
    );
    const call = client.callTool('required', {}, { signal: controller.signal });
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });
    expect(server.of('tasks/cancel')).toHaveLength(1);
  });

  it('is not cancelled on a server that did not declare that it can', async () => {
    const { client, server } = await pairWithTasks(
      withCoreTasks({ 'tasks/get': results(coreTask('working')) }, { requests: { tools: { call: {} } } }),
    );
    expect(await failure(client.callTool('required', {}, { maxTimeoutMs: 50 }))).toMatchObject({
      kind: 'timeout',
    });
    expect(server.of('tasks/cancel')).toEqual([]);
    expect(await failure(cancelTask(client, TASK_ID))).toMatchObject({ kind: 'not-supported' });
    expect(await failure(listTasks(client))).toMatchObject({
      kind: 'not-supported',
      capability: 'tasks.list',
    });
  });

  it.each<[string, string, object]>([
    ['is of a revision without tasks', '2025-06-18', { tools: {} }],
    ['declares none', '2025-11-25', { tools: {} }],
  ])('is not asked for if the server %s', async (_, protocolVersion, capabilities) => {
    const serverInfo = { name: 'raw', version: '1' };
    const { client, server } = await pairWithTasks(
      withCoreTasks({ initialize: ask => ask.result({ protocolVersion, capabilities, serverInfo }) }),
    );
    for (const attempt of [
      () => getTask(client, TASK_ID),
      () => cancelTask(client, TASK_ID),
      () => resumeTask(client, HANDLE),
      () => listTasks(client),
    ])
      expect(await failure(attempt())).toMatchObject({ kind: 'not-supported' });
    const sent = server.asks.filter(({ method }) => /^(tasks|tools)\//.test(method));
    expect(sent).toEqual([]);
  });

  it('is resumed in the words of its revision', async () => {
    const { client, server } = await pairWithTasks(
      withCoreTasks({ 'tasks/get': results(coreTask('completed')), ...result(DONE) }),
    );
    expect(await resumeTask(client, HANDLE)).toEqual(DONE);
    expect(server.of('tools/call')).toEqual([]);
    expect(server.of('tasks/get')[0]?.request.headers).not.toHaveProperty('mcp-name');
  });

  // covers: 2025-11-25/tasks/list-cursors-are-opaque
  it('is listed over all pages, shown, and cancelled', async () => {
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        'tasks/list': ask =>
          ask.result(
            ask.message.params.cursor === 'more'
              ? { tasks: [coreTask('completed', { taskId: 'b' })] }
              : { tasks: [coreTask('working')], nextCursor: 'more' },
          ),
        'tasks/get': results(coreTask('working', { statusMessage: 'half done' })),
      }),
    );
    expect(await listTasks(client)).toMatchObject([
      { taskId: TASK_ID, status: 'working', ttlMs: 60_000, pollIntervalMs: 5 },
      { taskId: 'b', status: 'completed' },
    ]);
    expect(await getTask(client, TASK_ID)).toMatchObject({ statusMessage: 'half done' });
    await cancelTask(client, TASK_ID);
    expect(server.of('tasks/cancel')[0]?.message.params).toEqual({ taskId: TASK_ID });
  });

  // covers: 2025-11-25/progress/tasks-keep-their-token
  it('gives its progress to its call for as long as it lives', async () => {
    const onProgress = vi.fn();
    let stream: any;
    const { client, server } = await pairWithTasks(
      withCoreTasks({
        GET: ask => {
          stream = ask.stream();
        },
        'tasks/get': ask => {
          const { progressToken } = server.of('tools/call')[0]!.message.params._meta;
          const params = { progressToken, progress: 1, total: 3, message: 'mixing' };
          stream.event({ jsonrpc: '2.0', method: 'notifications/progress', params });
          ask.result(coreTask(onProgress.mock.calls.length > 0 ? 'completed' : 'working'));
        },
        ...result(DONE),
      }),
      { onElicit: () => ({ action: 'cancel' }) },
    );
    await client.callTool('required', {}, { onProgress });
    expect(onProgress).toHaveBeenCalledWith({ progress: 1, total: 3, message: 'mixing' });
  });
});
