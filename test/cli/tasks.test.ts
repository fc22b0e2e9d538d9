import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, listenRaw, type RawServer } from '../client-faults/raw-server.js';
import { codeBlocks } from '../readme/blocks.js';
import {
  coreTask,
  DONE,
  results,
  TASK_ID,
  task,
  withCoreTasks,
  withExtension,
} from '../tasks-client/raw-tasks.js';
import { tenon } from './run.js';

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
};

/** A server for all tests of a block. */
function use(answer: () => Answer): { readonly server: RawServer; readonly url: string } {
  let server: RawServer;
  beforeAll(async () => {
    server = await listenRaw(answer());
  });
  afterAll(() => server?.close());
  return {
    get server() {
      return server;
    },
    get url() {
      return server.url;
    },
  };
}

describe('tenon tasks, with a server of 2025-11-25', () => {
  const tasks = [coreTask('working', { statusMessage: 'half done' }), coreTask('completed', { taskId: 'b' })];
  const core = use(() =>
    withCoreTasks({
      'tasks/list': ask => ask.result({ tasks }),
      'tasks/get': ask =>
        ask.message.params.taskId === TASK_ID
          ? ask.result(tasks[0] as object)
          : ask.error(-32602, 'Task not found'),
    }),
  );

  it('lists them, for people and for programs', async () => {
    const { code, stdout } = await tenon(['tasks', 'list', core.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^task-1 +working +\S+ +half done$/m);
    const json = await tenon(['tasks', 'list', core.url, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      tasks: [{ taskId: TASK_ID, ttlMs: 60_000 }, { taskId: 'b' }],
    });
  });

  it('works as docs/cli.md shows it', async () => {
    const lines = codeBlocks('docs/cli.md').flatMap(({ code }) => code.match(/^tenon tasks .*$/gm) ?? []);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const here = line.replace('https://studio.example/mcp', core.url).replace(/[\da-f-]{36}/, TASK_ID);
      expect(await tenon(here.split(' ').slice(1))).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('shows one, and cancels it', async () => {
    expect((await tenon(['tasks', 'show', core.url, TASK_ID])).stdout).toMatch(/^message +half done$/m);
    const { code, stdout } = await tenon(['tasks', 'cancel', core.url, TASK_ID]);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The server accepted it.'),
    });
    expect(core.server.of('tasks/cancel').at(-1)?.message.params).toEqual({ taskId: TASK_ID });
  });

  it.each([
    ['an id that the server does not know', ['show', 'x'], 1, 'Task not found'],
    ['an id that is missing', ['show'], 2, 'the id of a task is missing'],
    ['an id that is too much', ['list', 'x'], 2, '`list` takes no id'],
  ])('says what is wrong with %s', async (_, [action = '', ...rest], exitCode, message) => {
    const { code, stderr } = await tenon(['tasks', action, core.url, ...rest]);
    expect({ code, stderr }).toMatchObject({ code: exitCode, stderr: expect.stringContaining(message) });
  });
});

describe('tenon, with a server that has the tasks extension', () => {
  const own = use(() =>
    withExtension({
      'tasks/get': ask => {
        const isAnswered = own.server.of('tasks/update').length > 0;
        ask.result(
          isAnswered
            ? task('completed', { result: DONE })
            : task('input_required', { inputRequests: { colour: FORM }, statusMessage: 'paint is missing' }),
        );
      },
    }),
  );
  const plain = use(() => withExtension({ 'tasks/get': results(task('completed', { result: DONE })) }));

  const cancelled = use(() =>
    withExtension({ 'tasks/get': results(task('cancelled', { statusMessage: 'out of paint' })) }),
  );

  it('shows the questions of a task', async () => {
    const { stdout } = await tenon(['tasks', 'show', own.url, TASK_ID]);
    expect(stdout).toMatch(/^status +input_required$/m);
    expect(stdout).toContain('Which colour?');
    const json = await tenon(['tasks', 'show', own.url, TASK_ID, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ inputRequests: { colour: FORM } });
  });

  it('answers the questions of the task that a call becomes, and prints its result', async () => {
    const { code, stdout, stderr } = await tenon([
      'call',
      own.url,
      'render',
      '--answer',
      '{"colour":"blue"}',
      '--verbose',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
    expect(stderr).toContain('task: input_required, paint is missing');
    expect(own.server.of('tasks/update')[0]?.message.params.inputResponses).toEqual({
      colour: { action: 'accept', content: { colour: 'blue' } },
    });
  });

  it('says that the task of a call was cancelled elsewhere, for people and for programs', async () => {
    const message = `the task ${TASK_ID} was cancelled at the server: out of paint`;
    const { code, stdout, stderr } = await tenon(['call', cancelled.url, 'render']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
    const json = await tenon(['call', cancelled.url, 'render', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toEqual({ error: { kind: 'cancelled', message } });
  });

  it('says that the extension has no list', async () => {
    const { code, stderr } = await tenon(['tasks', 'list', plain.url]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('this server does not list tasks');
  });
});
