import type { Client } from 'tenon/client';
import { cancelTask, type DetailedTask, getTask, listTasks, type Task } from 'tenon/tasks/client';
import type { Cli } from '../cli.js';
import { plainLine } from '../terminal/plain-text.js';
import { table } from '../terminal/table.js';

/** Prints the tasks of the user, where the server lists them. */
export async function printTasks(client: Client, { output, signal }: Cli): Promise<void> {
  const tasks = await listTasks(client, { signal });
  if (output.isJson) return output.json({ tasks });
  if (tasks.length === 0) return output.print('There are no tasks.');
  const rows = tasks.map(({ taskId, status, statusMessage, createdAt }) =>
    [taskId, status, createdAt ?? '', statusMessage ?? ''].map(plainLine),
  );
  for (const line of table(rows, output.width)) output.print(line);
}

/** Prints one task: its state, its questions, and how it ended. */
export async function showTask(client: Client, taskId: string, { output, signal }: Cli): Promise<void> {
  const task = await getTask(client, taskId, { signal });
  if (output.isJson) return output.json(task);
  for (const line of table(describe(task), output.width)) output.print(line);
}

/** Asks the server to stop a task. */
export async function cancel(client: Client, taskId: string, { output, signal }: Cli): Promise<void> {
  await cancelTask(client, taskId, { signal });
  if (output.isJson) return output.json({ taskId, isAccepted: true });
  output.print('The server accepted it. `tenon tasks show` says when the task has stopped.');
}

function describe({ inputRequests = {}, result, error, ...task }: DetailedTask): string[][] {
  const questions = Object.entries(inputRequests).map(([key, question]) => [
    `question ${key}`,
    JSON.stringify(question),
  ]);
  return [
    ...describeState(task),
    ...questions,
    ...(result ? [['result', JSON.stringify(result)]] : []),
    ...(error ? [['error', JSON.stringify(error)]] : []),
  ].map(row => row.map(plainLine));
}

function describeState({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs }: Task): string[][] {
  return [
    ['task', taskId],
    ['status', status],
    ['message', statusMessage ?? ''],
    ['created', createdAt ?? ''],
    ['updated', lastUpdatedAt ?? ''],
    ['kept for', ttlMs === null ? '' : `${ttlMs / 1000} s`],
  ].filter(([, value]) => value !== '');
}
