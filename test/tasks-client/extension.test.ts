import { describe, expect, it, vi } from 'vitest';
import { McpError } from '../../src/client/index.js';
import { type TaskHandle, TaskLost } from '../../src/client/tasks/index.js';
import { failure } from '../client-faults/connected.js';
import {
  DONE,
  gate,
  inTurn,
  pairWithTasks,
  QUICK,
  results,
  TASK_ID,
  task,
  withExtension,
} from './raw-tasks.js';

const NAME = {
  method: 'elicitation/create',
  params: {
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};

describe('a call that becomes a task of the extension', () => {
  it('is followed to its end by polling, and its changes are told', async () => {
    const told: TaskHandle[] = [];
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': results(
          task('working', { statusMessage: 'half done' }),
          task('working', { statusMessage: 'half done', pollIntervalMs: 7, lastUpdatedAt: 'later' }),
          task('completed', { result: DONE }),
        ),
      }),
    );
    const result = await client.callTool('render', { scene: 'kitchen' }, { onTask: one => told.push(one) });
    expect(result).toEqual(DONE);
    expect(told.map(({ status, statusMessage }) => [status, statusMessage])).toEqual([
      ['working', undefined],
      ['working', 'half done'],
      ['completed', undefined],
    ]);
    expect(told[0]).toMatchObject({ taskId: TASK_ID, tool: 'render', ttlMs: 60_000, answered: [] });
    const [get] = server.of('tasks/get');
    expect(get?.request.headers).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': TASK_ID });
    expect(get?.message.params._meta).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
    expect(server.of('tasks/cancel')).toEqual([]);
  });

  it('ends with the error of the protocol that the task failed with', async () => {
    const error = { code: -32603, message: 'API rate limit exceeded', data: { retry: 5 } };
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('failed', { error })) }),
    );
    const thrown = await failure(client.callTool('render'));
    expect(thrown).toBeInstanceOf(McpError);
    expect(thrown).toMatchObject(error);
  });

  it('returns a failed result as any other call does', async () => {
    const result = { content: [{ type: 'text', text: 'no such scene' }], isError: true };
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { result })) }),
    );
    expect(await client.callTool('render')).toEqual(result);
  });

  it('ends as cancelled if the server or another client has cancelled the task', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('cancelled', { statusMessage: 'by the operator' })) }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'cancelled',
      message: `the task ${TASK_ID} was cancelled at the server: by the operator`,
    });
    expect(server.of('tasks/cancel')).toEqual([]);
  });

  it('checks the result against the output schema of the tool', async () => {
    const tool = { name: 'render', inputSchema: { type: 'object' } };
    const { client } = await pairWithTasks(
      withExtension({
        'tools/list': ask =>
          ask.result({
            tools: [{ ...tool, outputSchema: { type: 'object', properties: { pages: { type: 'number' } } } }],
          }),
        'tasks/get': results(
          task('completed', { result: { content: [], structuredContent: { pages: 'many' } } }),
        ),
      }),
    );
    await client.tools();
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'invalid-answer' });
  });

  it('lets the server decide: a plain result is returned as it is', async () => {
    const onTask = vi.fn();
    const { client } = await pairWithTasks(withExtension({ 'tools/call': ask => ask.result(DONE) }));
    expect(await client.callTool('render', {}, { task: true, onTask })).toEqual(DONE);
    expect(onTask).not.toHaveBeenCalled();
  });

  it('tells all tasks of the client to a handler of the extension, and survives one that throws', async () => {
    const told: string[] = [];
    const warnings: string[] = [];
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { result: DONE })) }),
      {
        tasks: { ...QUICK, onTask: ({ status }, { server }) => told.push(`${server} ${status}`) },
        onWarning: message => warnings.push(message),
      },
    );
    const onTask = () => {
      throw new Error('the disk is full');
    };
    await client.callTool('render', {}, { onTask });
    expect(told).toEqual([`${server.url} working`, `${server.url} completed`]);
    expect(warnings).toContain('onTask failed: the disk is full');
  });

  it('refuses a task as the answer to another request', async () => {
    const { client } = await pairWithTasks(
      withExtension({ 'resources/read': ask => ask.result({ resultType: 'task', ...task('working') }) }),
    );
    expect(await failure(client.readResource('menu://today'))).toMatchObject({
      kind: 'invalid-answer',
      message: 'resources/read was answered with a task, and only calls of tools can be',
    });
  });
});

describe('the notices of a task', () => {
  const listened = (send: (notify: (params: object) => void) => void) => (ask: any) => {
    const subscription = { 'io.modelcontextprotocol/subscriptionId': ask.message.id };
    const notify = (method: string, params: object) =>
      ask.event({ jsonrpc: '2.0', method, params: { ...params, _meta: subscription } });
    ask.stream();
    notify('notifications/subscriptions/acknowledged', { notifications: ask.message.params.notifications });
    send(params => notify('notifications/tasks', params));
  };

  it('bring its end without further polls', async () => {
    let notify: (params: object) => void = () => {};
    const { client, server } = await pairWithTasks(
      withExtension({
        'tools/call': ask =>
          ask.result({ resultType: 'task', ...task('working', { pollIntervalMs: 3600_000 }) }),
        'tasks/get': ask => {
          ask.result({ resultType: 'complete', ...task('working', { pollIntervalMs: 3600_000 }) });
          notify(task('completed', { taskId: 'another', result: { content: [] } }));
          notify(task('completed', { result: DONE }));
        },
        'subscriptions/listen': listened(send => {
          notify = send;
        }),
      }),
      { tasks: {} },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('subscriptions/listen')[0]?.message.params.notifications).toEqual({
      taskIds: [TASK_ID],
    });
    expect(server.of('tasks/get')).toHaveLength(1);
    await server.of('subscriptions/listen')[0]?.gone;
  });

  it('bring its questions', async () => {
    let isAnswered = false;
    let notify: (params: object) => void = () => {};
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': ask =>
          ask.result(
            isAnswered
              ? task('completed', { result: DONE })
              : task('input_required', { inputRequests: { name: NAME } }),
          ),
        'tasks/update': ask => {
          isAnswered = true;
          ask.result({ resultType: 'complete' });
          notify(task('completed', { result: DONE }));
        },
        'subscriptions/listen': listened(send => {
          notify = send;
          notify(task('input_required', { inputRequests: { name: NAME } }));
        }),
      }),
      { tasks: {}, onElicit: () => ({ action: 'accept', content: { name: 'Luca' } }) },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('tasks/update')).toHaveLength(1);
  });

  it('make the client look, if they do not have the whole task in them', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': results(task('working'), task('completed', { result: DONE })),
        'subscriptions/listen': listened(notify => {
          void expect
            .poll(() => server.of('tasks/get').length)
            .toBe(1)
            .then(() => notify(task('completed')));
        }),
      }),
      { tasks: { minPollMs: 3600_000, maxPollMs: 3600_000 } },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('tasks/get')).toHaveLength(2);
  });

  it('are left out if the client is told not to listen', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { result: DONE })) }),
      { tasks: { ...QUICK, listen: false } },
    );
    await client.callTool('render');
    expect(server.of('subscriptions/listen')).toEqual([]);
  });

  it('are listened to on few streams, however many tasks run', async () => {
    let ids = 0;
    const { client, server } = await pairWithTasks(
      withExtension({
        'tools/call': ask =>
          ask.result({ resultType: 'task', ...task('working', { taskId: `task-${ids++}` }) }),
        'subscriptions/listen': listened(() => {}),
        'tasks/get': ask => {
          const { taskId } = ask.message.params;
          ask.result(
            server.of('tools/call').length < 8
              ? task('working', { taskId })
              : task('completed', { taskId, result: DONE }),
          );
        },
      }),
    );
    await Promise.all(Array.from({ length: 8 }, () => client.callTool('render')));
    expect(server.of('subscriptions/listen').length).toBeLessThanOrEqual(4);
  });
});

describe('the questions of a task', () => {
  it('are answered once, by the handlers of the client, however often they are seen', async () => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Luca' } }));
    const told: TaskHandle[] = [];
    const asking = task('input_required', { inputRequests: { name: NAME } });
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(asking, asking, asking, task('completed', { result: DONE })) }),
      { onElicit },
    );
    expect(await client.callTool('render', {}, { onTask: one => told.push(one) })).toEqual(DONE);
    expect(onElicit).toHaveBeenCalledTimes(1);
    expect(server.of('tasks/update').map(({ message }) => message.params)).toMatchObject([
      { taskId: TASK_ID, inputResponses: { name: { action: 'accept', content: { name: 'Luca' } } } },
    ]);
    expect(told.at(-1)).toMatchObject({ answered: ['name'] });
  });

  it('may come in several rounds, and of several kinds at once', async () => {
    const roots = { method: 'roots/list' };
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': ask => {
          const rounds = server.of('tasks/update').length;
          const inputRequests = rounds === 0 ? { name: NAME, where: roots } : { again: NAME };
          ask.result(
            rounds > 1 ? task('completed', { result: DONE }) : task('input_required', { inputRequests }),
          );
        },
      }),
      {
        roots: [{ uri: 'file:///kitchen' }],
        onElicit: () => ({ action: 'decline' }),
      },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('tasks/update').map(({ message }) => message.params.inputResponses)).toEqual([
      { name: { action: 'decline' }, where: { roots: [{ uri: 'file:///kitchen' }] } },
      { again: { action: 'decline' } },
    ]);
  });

  it('are sent again if the server was out of reach, or busy', async () => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Luca' } }));
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': ask =>
          ask.result(
            server.of('tasks/update').length < 4
              ? task('input_required', { inputRequests: { name: NAME } })
              : task('completed', { result: DONE }),
          ),
        'tasks/update': inTurn(
          ask => ask.send(503),
          ask => ask.request.socket.destroy(),
          ask => ask.error(-31503, 'the store is away', { data: { retryAfterMs: 10 } }),
          ask => ask.result({ resultType: 'complete' }),
        ),
      }),
      { onElicit },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(onElicit).toHaveBeenCalledTimes(1);
  });

  it('are withdrawn from their handler when the task ends without the answer', async () => {
    const withdrawn = gate();
    const asked = gate();
    const { client } = await pairWithTasks(
      withExtension({
        'tasks/get': inTurn(
          ask => ask.result(task('input_required', { inputRequests: { name: NAME } })),
          async ask => {
            await asked.opened;
            ask.result(task('completed', { result: DONE }));
          },
        ),
      }),
      {
        onElicit: (_, { signal }) => {
          asked.open();
          return new Promise(() => signal.addEventListener('abort', withdrawn.open));
        },
      },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    await withdrawn.opened;
  });

  it('fail the call, and cancel the task, if the client has no handler for them', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('input_required', { inputRequests: { name: NAME } })) }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'invalid-answer' });
    expect(server.of('tasks/cancel')).toHaveLength(1);
  });

  it('fail the call, and cancel the task, if their handler fails', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('input_required', { inputRequests: { name: NAME } })) }),
      {
        onElicit: () => {
          throw new Error('the window is gone');
        },
      },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ message: 'the window is gone' });
    expect(server.of('tasks/cancel')).toHaveLength(1);
  });
});

describe('a call that is given up', () => {
  it('cancels its task when its signal aborts', async () => {
    const controller = new AbortController();
    const { client, server } = await pairWithTasks(withExtension({ 'tasks/get': results(task('working')) }));
    const call = client.callTool(
      'render',
      {},
      { signal: controller.signal, onTask: () => controller.abort() },
    );
    expect(await failure(call)).toMatchObject({ kind: 'cancelled' });
    expect(server.of('tasks/cancel').map(({ message }) => message.params.taskId)).toEqual([TASK_ID]);
    expect(server.of('tasks/cancel')[0]?.request.headers).toMatchObject({ 'mcp-name': TASK_ID });
  });

  it('cancels its task when its time is over', async () => {
    const { client, server } = await pairWithTasks(withExtension({ 'tasks/get': results(task('working')) }));
    expect(await failure(client.callTool('render', {}, { maxTimeoutMs: 100 }))).toMatchObject({
      kind: 'timeout',
      message: `the task ${TASK_ID} of the tool render did not end within 100 ms; it was last working`,
    });
    expect(server.of('tasks/cancel')).toHaveLength(1);
  });

  it('leaves its task alone when the client is closed', async () => {
    const { client, server } = await pairWithTasks(withExtension({ 'tasks/get': results(task('working')) }));
    const call = client.callTool('render', {}, { onTask: () => void client.close() });
    expect(await failure(call)).toMatchObject({ kind: 'connection', message: 'the client was closed' });
    expect(server.of('tasks/cancel')).toEqual([]);
  });
});

describe('a server that is out of reach for a while', () => {
  it('is asked again', async () => {
    const { client } = await pairWithTasks(
      withExtension({
        'tasks/get': inTurn(
          ask => ask.send(503),
          ask => ask.request.socket.destroy(),
          ask => ask.error(-32603, 'the store is away'),
          ask => ask.result(task('completed', { result: DONE })),
        ),
      }),
    );
    expect(await client.callTool('render')).toEqual(DONE);
  });

  it('is given up after some time, and the task goes on', async () => {
    const { client, server } = await pairWithTasks(withExtension({ 'tasks/get': ask => ask.send(503) }));
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'http', status: 503 });
    expect(server.of('tasks/cancel')).toEqual([]);
  });
});

it('a task that the server has forgotten is lost, and the error has its handle', async () => {
  const { client, server } = await pairWithTasks(
    withExtension({
      'tasks/get': inTurn(
        ask => ask.result(task('working', { statusMessage: 'half done' })),
        ask => ask.error(-32602, 'Failed to retrieve task: Task not found'),
      ),
    }),
  );
  const lost = await failure(client.callTool('render'));
  expect(lost).toBeInstanceOf(TaskLost);
  expect(lost).toMatchObject({
    kind: 'task-lost',
    message: `the server does not know the task ${TASK_ID} of the tool render any more; it was last working`,
    task: { taskId: TASK_ID, statusMessage: 'half done' },
    cause: { code: -32602 },
  });
  expect(server.of('tasks/cancel')).toEqual([]);
});
