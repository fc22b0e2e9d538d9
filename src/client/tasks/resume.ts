import type { StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '../../base/errors.js';
import { TASKS_ID } from '../../protocol/task.js';
import type { CallToolResult } from '../../protocol/tools.js';
import type { CallOptions } from '../call-options.js';
import type { Client } from '../client.js';
import type { TaskHandle } from '../task-handle.js';
import type { TypedToolResult } from '../tool-output.js';
import { dialectOf } from './dialect-of.js';
import { readHandle } from './read-handle.js';

/**
 * Goes on with a task that another client began, also in another process: returns what `callTool` would have returned
 * there. The handle is what `onTask` was called with last, as a value or as JSON. Throws `TaskLost` if the server does not
 * know the task any more, and `NotSupported` if it has no tasks.
 *
 * @example
 * const client = await connect(url, { extensions: [tasksClient()] });
 * const { content } = await resumeTask(client, await readFile('task.json', 'utf8'));
 */
export function resumeTask<S extends StandardSchemaV1>(
  client: Client,
  handle: TaskHandle | string,
  options: CallOptions & { output: S },
): Promise<TypedToolResult<StandardSchemaV1.InferOutput<S>>>;
export function resumeTask(
  client: Client,
  handle: TaskHandle | string,
  options?: CallOptions,
): Promise<CallToolResult>;
export async function resumeTask(
  client: Client,
  handle: TaskHandle | string,
  options: CallOptions = {},
): Promise<CallToolResult> {
  // Without the extension the tool would be called a second time.
  if (!client.middleware.includes(TASKS_ID))
    throw new UsageError('this client does not follow tasks: connect with extensions: [tasksClient()]');
  const resume = readHandle(handle);
  // A server without tasks would be asked about one that it cannot know.
  dialectOf(client);
  return client.callTool(resume.tool, {}, { ...options, task: { resume } });
}
