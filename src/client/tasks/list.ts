import { isObject, type JsonObject } from '../../base/json.js';
import { InvalidAnswer, NotSupported } from '../../protocol/failures.js';
import type { CallOptions } from '../call-options.js';
import type { Client } from '../client.js';
import { readAllPages } from '../pages.js';
import type { Task } from '../task-handle.js';
import { CORE_DIALECT } from './core-dialect.js';
import { dialectOf } from './dialect-of.js';
import { readSameTask, readTask } from './read-task.js';
import { taskCapabilities } from './task-support.js';

/**
 * The tasks of this client's user, where the server lists them: on 2025-11-25, if it declared `tasks.list`. The tasks
 * extension has no list; store the handles that `onTask` gives out.
 *
 * @example
 * for (const { taskId, status } of await listTasks(client)) console.log(taskId, status);
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#listing-tasks
 */
export async function listTasks(client: Client, options: CallOptions = {}): Promise<Task[]> {
  if (dialectOf(client) !== CORE_DIALECT || !taskCapabilities(client.server)?.list)
    throw new NotSupported('this server does not list tasks: keep their handles, or their ids', 'tasks.list');
  const entries = await readAllPages<unknown>('tasks/list', async cursor => {
    const page = await client.request('tasks/list', cursor === undefined ? {} : { cursor }, options);
    if (!Array.isArray(page.tasks)) throw new InvalidAnswer('tasks/list has no list of tasks');
    return { entries: page.tasks, nextCursor: page.nextCursor };
  });
  return entries.map(entry => readTask(entry, 'tasks/list'));
}

/** A task, with its questions, its result or its error if the server says them with its state. */
export interface DetailedTask extends Task {
  inputRequests?: JsonObject;
  result?: JsonObject;
  error?: JsonObject;
}

/**
 * The state of a task, by its id. Throws `McpError` if the server does not know it, and `NotSupported` if it has no tasks.
 *
 * @example
 * const { status, statusMessage } = await getTask(client, taskId);
 */
export async function getTask(
  client: Client,
  taskId: string,
  options: CallOptions = {},
): Promise<DetailedTask> {
  const described = await client.request('tasks/get', { taskId }, about(client, taskId, options));
  const task: DetailedTask = readSameTask(described, 'tasks/get', taskId);
  for (const member of ['inputRequests', 'result', 'error'] as const) {
    const value = described[member];
    if (isObject(value)) task[member] = value;
  }
  return task;
}

/**
 * Asks the server to stop a task, by its id. The server decides whether and when it does. Throws `McpError` if it does not
 * know the task, and on 2025-11-25 also if the task has ended.
 *
 * @example
 * await cancelTask(client, taskId);
 */
export async function cancelTask(client: Client, taskId: string, options: CallOptions = {}): Promise<void> {
  if (!dialectOf(client).canCancel(client.server))
    throw new NotSupported('this server does not cancel tasks', 'tasks.cancel');
  await client.request('tasks/cancel', { taskId }, about(client, taskId, options));
}

function about(client: Client, taskId: string, options: CallOptions): CallOptions {
  return { ...options, headers: { ...options.headers, ...dialectOf(client).headersFor(taskId) } };
}
