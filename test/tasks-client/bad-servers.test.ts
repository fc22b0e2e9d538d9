import { describe, expect, it } from 'vitest';
import { failure } from '../client-faults/connected.js';
import { DONE, inTurn, pairWithTasks, QUICK, results, TASK_ID, task, withExtension } from './raw-tasks.js';

const FORM = {
  method: 'elicitation/create',
  params: { message: 'Really?', requestedSchema: { type: 'object' } },
};
const accept = () => ({ action: 'accept' as const, content: {} });

describe('a task that is malformed', () => {
  it.each<[string, object, string]>([
    ['has no id', { ...task('working'), taskId: undefined }, 'it has no taskId'],
    ['has an empty id', { ...task('working'), taskId: '' }, 'it has no taskId'],
    ['has a number as its id', { ...task('working'), taskId: 7 }, 'it has no taskId'],
    ['has no status', { ...task('working'), status: undefined }, 'its status is undefined'],
    ['has a status that nobody knows', task('paused'), 'its status is "paused"'],
  ])('ends the call if it %s', async (_, malformed, problem) => {
    const created = await pairWithTasks(
      withExtension({ 'tools/call': ask => ask.result({ resultType: 'task', ...malformed }) }),
    );
    expect(await failure(created.client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `the task in the answer to tools/call is malformed: ${problem}`,
    });
    const polled = await pairWithTasks(withExtension({ 'tasks/get': results(malformed) }));
    expect(await failure(polled.client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `the task in the answer to tasks/get is malformed: ${problem}`,
    });
    expect(polled.server.of('tasks/cancel')).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['is completed without a result', task('completed'), 'is completed, but it has no result'],
    ['is completed with a text', task('completed', { result: 'done' }), 'is completed, but it has no result'],
    [
      'is completed with another task',
      task('completed', { result: { resultType: 'task', ...task('working') } }),
      'is completed, but it has no result',
    ],
    ['failed without an error', task('failed'), 'failed, but its error is malformed'],
    ['failed with a text', task('failed', { error: 'oops' }), 'failed, but its error is malformed'],
    [
      'needs input and asks nothing',
      task('input_required'),
      'asks a question that is malformed or of an unknown kind',
    ],
    [
      'asks for the moon',
      task('input_required', { inputRequests: { a: { method: 'moon/get', params: {} } } }),
      'asks a question that is malformed or of an unknown kind',
    ],
  ])('ends the call if it %s', async (_, described, problem) => {
    const { client } = await pairWithTasks(withExtension({ 'tasks/get': results(described) }), {
      onElicit: accept,
    });
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `the task ${TASK_ID} ${problem}`,
    });
  });

  it('ends the call if its result is not that of a tool', async () => {
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { result: { content: 'done' } })) }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'invalid-answer' });
  });

  it('is followed all the same if only members are odd that nothing depends on', async () => {
    const odd = { createdAt: 7, lastUpdatedAt: null, ttlMs: 'long', pollIntervalMs: -1, statusMessage: {} };
    const { client } = await pairWithTasks(
      withExtension({
        'tools/call': ask => ask.result({ resultType: 'task', ...task('working', odd) }),
        'tasks/get': results(task('working', odd), task('completed', { ...odd, result: DONE })),
      }),
    );
    expect(await client.callTool('render')).toEqual(DONE);
  });
});

describe('a server that', () => {
  it('answers for another task is not believed', async () => {
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { taskId: 'of-another-user', result: DONE })) }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `tasks/get was answered for the task "of-another-user", not for ${TASK_ID}`,
    });
  });

  it('lets a task go back from its end is not believed', async () => {
    const { client } = await pairWithTasks(
      withExtension({
        'tools/call': ask => ask.result({ resultType: 'task', ...task('completed') }),
        'tasks/get': results(task('working')),
      }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `the task ${TASK_ID} was completed, and now the server says that it is working`,
    });
  });

  it('never ends a task is given up when the time to live of the task is over', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({
        'tools/call': ask => ask.result({ resultType: 'task', ...task('working', { ttlMs: 50 }) }),
        'tasks/get': results(task('working', { ttlMs: 50 })),
      }),
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'timeout',
      message: `the task ${TASK_ID} of the tool render did not end within 50 ms, its time to live; it was last working`,
    });
    expect(server.of('tasks/cancel')).toHaveLength(1);
  });

  it('never ends a task that lives forever is given up after the time that the client allows', async () => {
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('working', { ttlMs: null })) }),
      { tasks: { ...QUICK, maxTaskMs: 60 } },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'timeout' });
  });

  it.each([
    ['no pause', 0],
    ['a year of pause', 365 * 24 * 3600_000],
    ['more than a number can count', 1e300],
  ])('wants %s between polls is polled within the bounds of the client', async (_, pollIntervalMs) => {
    const waiting = task('working', { pollIntervalMs });
    const { client, server } = await pairWithTasks(
      withExtension({
        'tools/call': ask => ask.result({ resultType: 'task', ...waiting }),
        'tasks/get': results(waiting, waiting, task('completed', { result: DONE })),
      }),
      { tasks: { minPollMs: 2, maxPollMs: 10 } },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    expect(server.of('tasks/get')).toHaveLength(3);
  });

  it.each<[string, object]>([
    ['another message', { ...FORM, params: { ...FORM.params, message: 'And your password?' } }],
    ['another method', { method: 'roots/list', params: {} }],
  ])('asks with %s under the key of an answered question is not answered', async (_, other) => {
    const { client, server } = await pairWithTasks(
      withExtension({
        'tasks/get': ask => {
          const a = server.of('tasks/update').length > 0 ? other : FORM;
          ask.result({ resultType: 'complete', ...task('input_required', { inputRequests: { a } }) });
        },
      }),
      { onElicit: accept, roots: [] },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'invalid-answer',
      message: `the task ${TASK_ID} asks another question under the key "a"`,
    });
    expect(server.of('tasks/update')).toHaveLength(1);
  });

  it('never stops asking is given up', async () => {
    let asked = 0;
    const { client } = await pairWithTasks(
      withExtension({
        'tasks/get': ask =>
          ask.result(task('input_required', { pollIntervalMs: 0, inputRequests: { [`q${asked++}`]: FORM } })),
      }),
      { onElicit: accept, tasks: { minPollMs: 1 } },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'too-many-rounds',
      message: `the task ${TASK_ID} asked questions more than 100 times`,
    });
  });

  it('asks more at once than a user could answer is not answered', async () => {
    const inputRequests = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`q${at}`, FORM]));
    const { client } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('input_required', { inputRequests })) }),
      { onElicit: accept },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'invalid-answer' });
  });

  it('refuses an answer ends the call with its error', async () => {
    const { client } = await pairWithTasks(
      withExtension({
        'tasks/get': results(task('input_required', { inputRequests: { a: FORM } })),
        'tasks/update': ask => ask.error(-32602, 'this is no answer'),
      }),
      { onElicit: accept },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({
      kind: 'mcp',
      message: 'this is no answer',
    });
  });

  it('forgets the task while a question is answered has lost it', async () => {
    const { client } = await pairWithTasks(
      withExtension({
        'tasks/get': inTurn(
          ask => ask.result(task('input_required', { inputRequests: { a: FORM } })),
          ask => ask.error(-32602, 'Task not found'),
        ),
        'tasks/update': ask => ask.error(-32602, 'Task not found'),
      }),
      { onElicit: accept },
    );
    expect(await failure(client.callTool('render'))).toMatchObject({ kind: 'task-lost' });
  });

  it('uses names of objects as keys and ids gets its answers', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({
        'tools/call': ask =>
          ask.json(
            `{"jsonrpc":"2.0","id":${ask.message.id},"result":{"resultType":"task","taskId":"__proto__","status":"working","ttlMs":null}}`,
          ),
        'tasks/get': inTurn(
          ask =>
            ask.json(
              `{"jsonrpc":"2.0","id":${ask.message.id},"result":{"taskId":"__proto__","status":"input_required","inputRequests":{"__proto__":${JSON.stringify(FORM)}}}}`,
            ),
          ask => ask.result(task('completed', { taskId: '__proto__', result: DONE })),
        ),
      }),
      { onElicit: accept, tasks: { ...QUICK, maxPollMs: 100, minPollMs: 100 } },
    );
    expect(await client.callTool('render')).toEqual(DONE);
    const [update] = server.of('tasks/update');
    expect(Object.entries(update?.message.params.inputResponses ?? {})).toEqual([
      ['__proto__', { action: 'accept', content: {} }],
    ]);
  });
});
