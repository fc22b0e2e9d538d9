import { vi } from 'vitest';
import type { JsonObject } from '../../src/server/index.js';
import { Server } from '../../src/server/index.js';
import { TASKS_ID, type TasksExtension, type TasksOptions, tasks } from '../../src/server/tasks/index.js';
import { connectRaw, type RawClient, type RawClientOptions } from '../raw-client.js';

export interface Studio {
  readonly server: Server;
  readonly work: TasksExtension;
  /** The errors that the server reported. */
  readonly errors: unknown[];
}

/** A server with tasks, whose tools the test registers. */
export function createStudio(options: TasksOptions = {}): Studio {
  const errors: unknown[] = [];
  const work = tasks(options);
  const server = new Server(
    { name: 'studio', version: '1.0.0' },
    { extensions: [work], onError: error => errors.push(error), onWarning: () => {} },
  );
  return { server, work, errors };
}

/** A client that knows tasks and can be asked. */
export function connectTo({ server }: Studio, options: RawClientOptions = {}): Promise<RawClient> {
  const capabilities = { elicitation: {}, extensions: { [TASKS_ID]: {} }, ...options.capabilities };
  return connectRaw(server, { ...options, capabilities });
}

/** A client of an authenticated principal. */
export function connectAs(
  studio: Studio,
  principal: string,
  options: RawClientOptions = {},
): Promise<RawClient> {
  return connectTo(studio, { ...options, authenticate: () => ({ principal }) });
}

/** Calls a tool, which must answer with a task. */
export async function startTask(
  client: RawClient,
  name: string,
  args: JsonObject = {},
): Promise<JsonObject & { taskId: string }> {
  const created = await client.request('tools/call', { name, arguments: args });
  if (created.resultType !== 'task') throw new Error(`${name} is no task: ${JSON.stringify(created)}`);
  return created as JsonObject & { taskId: string };
}

/** Asks for a task until it has a status, less often than the server allows. */
export function untilTask(client: RawClient, taskId: string, ...statuses: string[]): Promise<JsonObject> {
  return untilShown(client, taskId, task => statuses.includes(task.status as string));
}

export function untilShown(
  client: RawClient,
  taskId: string,
  fits: (task: JsonObject) => boolean,
): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const task = await client.request('tasks/get', { taskId });
      if (!fits(task)) throw new Error(`the task is ${JSON.stringify(task)}`);
      return task;
    },
    { timeout: 120_000, interval: 60 },
  );
}

/** A promise that a test settles. */
export function gate<T = void>(): { opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>(resolve => {
    open = resolve;
  });
  return { opened, open };
}
