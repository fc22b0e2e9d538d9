import { UsageError } from '../../base/errors.js';
import { isJson, isObject, type JsonObject } from '../../base/json.js';
import type { ContentBlock } from '../../protocol/content.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { CallToolResult } from '../../protocol/tools.js';
import type { Cluster } from '../cluster/cluster.js';
import { tooLarge, withFailure } from './conclude.js';
import { MAX_RESULT_BYTES, MAX_STATUS_LENGTH } from './limits.js';
import { hasEnded, type TaskRecord, withEnd, withState } from './record.js';
import { TaskStore } from './store.js';
import { readToken } from './token.js';

/**
 * Completes a task that its handler left to another process. Returns false if the task has ended already, or was
 * forgotten. The result is not checked against the output schema of the tool.
 *
 * @example
 * const nodes = memoryCluster();
 * await completeTask(nodes, token, 'The film is ready.');
 */
export function completeTask(
  cluster: Cluster,
  token: string,
  result: string | ContentBlock[] | CallToolResult,
): Promise<boolean> {
  const content = toResult(result);
  return change(cluster, token, record =>
    withEnd(record, { status: 'completed', message: undefined, result: content }),
  );
}

/**
 * Ends a deferred task with a failure. Returns false if the task has ended already, or was forgotten.
 *
 * @example
 * await failTask(memoryCluster(), token, 'There is no film in the camera.');
 */
export function failTask(cluster: Cluster, token: string, error: string | McpError): Promise<boolean> {
  const failure = typeof error === 'string' ? new McpError(ERROR.internal, error) : error;
  return change(cluster, token, record => withFailure(record, failure));
}

/**
 * Tells the clients of a deferred task how far it is. Returns false if the task has ended already, or was forgotten.
 *
 * @example
 * await updateTask(memoryCluster(), token, 'scene 3 of 12');
 */
export function updateTask(cluster: Cluster, token: string, message: string): Promise<boolean> {
  const text = String(message).slice(0, MAX_STATUS_LENGTH);
  return change(cluster, token, record => withState(record, { message: text }));
}

async function change(
  cluster: Cluster,
  token: string,
  alter: (record: TaskRecord) => TaskRecord,
): Promise<boolean> {
  const { server, id, secret } = readToken(token);
  let isDone = false;
  await new TaskStore(cluster, server).change(id, record => {
    isDone = record.run.secret === secret && !hasEnded(record.state);
    return isDone ? alter(record) : undefined;
  });
  return isDone;
}

function toResult(result: string | ContentBlock[] | CallToolResult): JsonObject {
  const full =
    typeof result === 'string'
      ? { content: [{ type: 'text', text: result }] }
      : Array.isArray(result)
        ? { content: result }
        : result;
  if (!isObject(full) || !Array.isArray(full.content) || !isJson(full))
    throw new UsageError(
      'the result of a task must be a text, a list of content blocks, or a result with content',
    );
  const { length } = new TextEncoder().encode(JSON.stringify(full));
  if (length > MAX_RESULT_BYTES) throw tooLarge(length, MAX_RESULT_BYTES);
  return full;
}
