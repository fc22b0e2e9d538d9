import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { resumeTask, type TaskHandle, tasksClient } from '../../src/client/tasks/index.js';
import { connected, failure, serveRaw } from '../client-faults/connected.js';
import { program } from '../programs/program.js';
import { DONE, pairWithTasks, results, TASK_ID, task, withExtension } from './raw-tasks.js';

const BEGIN = fileURLToPath(new URL('begin.ts', import.meta.url));
const HANDLE: TaskHandle = { taskId: TASK_ID, tool: 'render', status: 'working', ttlMs: null, answered: [] };

const form = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});

describe('a task whose client was killed', () => {
  it('goes on in another process, and a question that was answered is not asked again', async () => {
    // The answers are accepted, and the state of the task shows that later.
    let isResumed = false;
    const server = await serveRaw(
      withExtension({
        'tasks/get': ask => {
          const updates = server.of('tasks/update').length;
          if (updates > 1) return ask.result(task('completed', { result: DONE }));
          const inputRequests = { first: form('Who?'), ...(isResumed && { second: form('And who else?') }) };
          ask.result(task('input_required', { inputRequests }));
        },
      }),
    );
    const child = spawn(process.execPath, [program(BEGIN), server.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stored = '';
    for await (const line of createInterface(child.stdout)) {
      stored = line;
      if (JSON.parse(line).answered.length > 0) break;
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    isResumed = true;
    const onElicit = vi.fn(() => ({ action: 'decline' as const }));

    const client = await connected(server.url, {
      extensions: [tasksClient({ minPollMs: 5, listen: false })],
      onElicit,
    });
    expect(await resumeTask(client, stored)).toEqual(DONE);
    expect(onElicit).toHaveBeenCalledTimes(1);
    expect(server.of('tasks/update').map(({ message }) => message.params.inputResponses)).toEqual([
      { first: { action: 'accept', content: { name: 'Luca' } } },
      { second: { action: 'decline' } },
    ]);
    expect(server.of('tools/call')).toHaveLength(1);
  });
});

describe('resumeTask', () => {
  it('looks at the task at once, and returns what the call would have returned', async () => {
    const { client, server } = await pairWithTasks(
      withExtension({ 'tasks/get': results(task('completed', { result: DONE })) }),
      { tasks: { pollIntervalMs: 3600_000 } },
    );
    expect(await resumeTask(client, HANDLE)).toEqual(DONE);
    expect(server.of('tools/call')).toEqual([]);
  });

  it('refuses to run with a client that does not follow tasks: it would call the tool again', async () => {
    const server = await serveRaw(withExtension({}));
    const client = await connected(server.url);
    expect(await failure(resumeTask(client, HANDLE))).toMatchObject({
      kind: 'usage',
      message: 'this client does not follow tasks: connect with extensions: [tasksClient()]',
    });
    expect(server.of('tools/call')).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['text that is no JSON', 'task-1'],
    ['an id alone', { taskId: TASK_ID }],
    ['a status that nobody knows', { ...HANDLE, status: 'paused' }],
    ['nothing', undefined],
  ])('refuses %s as a handle', async (_, handle) => {
    const { client } = await pairWithTasks(withExtension({}));
    expect(await failure(resumeTask(client, handle as TaskHandle))).toMatchObject({
      kind: 'usage',
      message: 'this is not the handle of a task: pass what `onTask` was called with',
    });
  });
});

it.each<[string, object, string]>([
  ['an unknown option', { pollMs: 5 }, 'tasksClient has no option "pollMs"'],
  [
    'a duration that is none',
    { minPollMs: 0 },
    'minPollMs of tasksClient must be a number of milliseconds above 0',
  ],
])('tasksClient refuses %s', (_, options, message) => {
  expect(() => tasksClient(options)).toThrow(message);
});
