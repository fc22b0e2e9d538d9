import { onTestFinished } from 'vitest';
import { type TasksClientOptions, tasksClient } from '../../src/client/tasks/index.js';
import type { connect } from '../../src/node/client/index.js';
import { connected, serveRaw } from '../client-faults/connected.js';
import { type Answer, type Ask, DISCOVERY, legacy, modern } from '../client-faults/raw-server.js';

type Options = NonNullable<Parameters<typeof connect>[1]>;

/** Quick enough for tests. */
export const QUICK: TasksClientOptions = { pollIntervalMs: 5, minPollMs: 2, maxPollMs: 20 };

export const TASK_ID = 'task-1';
const AT = new Date().toISOString();
export const DONE = { content: [{ type: 'text', text: 'done' }] };

/** A task as the extension writes it. */
export function task(status: string, more: object = {}): object {
  return {
    taskId: TASK_ID,
    status,
    createdAt: AT,
    lastUpdatedAt: AT,
    ttlMs: 60_000,
    pollIntervalMs: 5,
    ...more,
  };
}

/** A task as 2025-11-25 writes it. */
export function coreTask(status: string, more: object = {}): object {
  return { taskId: TASK_ID, status, createdAt: AT, lastUpdatedAt: AT, ttl: 60_000, pollInterval: 5, ...more };
}

/** Answers with each of these in turn, and with the last one from then on. */
export function inTurn(...answers: Answer[]): Answer {
  let at = 0;
  return ask => answers[Math.min(at++, answers.length - 1)]?.(ask);
}

/** Answers with results in turn. */
export function results(...values: object[]): Answer {
  return inTurn(...values.map(value => (ask: Ask) => ask.result({ resultType: 'complete', ...value })));
}

/** A server written by hand that has the tasks extension: its only tool becomes a task at once. */
export function withExtension(answers: Record<string, Answer>): Answer {
  const capabilities = { ...DISCOVERY.capabilities, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  return modern({
    'server/discover': ask => ask.result({ ...DISCOVERY, capabilities }),
    'tools/list': ask => ask.result({ tools: [{ name: 'render', inputSchema: { type: 'object' } }] }),
    'tools/call': ask => ask.result({ resultType: 'task', ...task('working') }),
    'tasks/cancel': ask => ask.result({ resultType: 'complete' }),
    'tasks/update': ask => ask.result({ resultType: 'complete' }),
    ...answers,
  });
}

const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** A server written by hand with the tasks of 2025-11-25. */
export function withCoreTasks(answers: Record<string, Answer>, tasks: object = TASKS): Answer {
  return legacy({
    initialize: ask =>
      ask.result({
        protocolVersion: ask.message.params.protocolVersion,
        capabilities: { tools: {}, tasks },
        serverInfo: { name: 'raw', version: '1' },
      }),
    'tools/list': ask =>
      ask.result({
        tools: ['optional', 'required', 'forbidden', undefined].map(taskSupport => ({
          name: taskSupport ?? 'plain',
          inputSchema: { type: 'object' },
          ...(taskSupport && { execution: { taskSupport } }),
        })),
      }),
    'tools/call': ask =>
      ask.message.params.task ? ask.result({ task: coreTask('working') }) : ask.text('plain'),
    'tasks/cancel': ask => ask.result(coreTask('cancelled')),
    ...answers,
  });
}

/** A server that does what the test says, and a client of it that follows tasks. */
export async function pairWithTasks(
  answer: Answer,
  { tasks = QUICK, ...options }: Options & { tasks?: TasksClientOptions } = {},
) {
  const server = await serveRaw(answer);
  const client = await connected(server.url, { extensions: [tasksClient(tasks)], ...options });
  return { server, client };
}

/** Resolves when something has been called. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  onTestFinished(() => open());
  return { open, opened };
}
