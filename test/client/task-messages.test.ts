import { describe, expect, test } from 'vitest';
import { tasksClient } from '../../src/client/tasks/index.js';
import { TASKS_ID } from '../../src/protocol/task.js';
import { failure } from '../client-faults/connected.js';
import { REVISIONS, ScriptedServer, STATELESS } from './scripted-server.js';

const AT = new Date().toISOString();
const TASK = { taskId: 'a', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttl: 60_000 };
const AS_TASK = { name: 'x', arguments: {}, task: { ttl: 1000 } };

const MESSAGES: [string, object][] = [
  ['tasks/get', { taskId: 'a' }],
  ['tasks/result', { taskId: 'a' }],
  ['tasks/list', {}],
  ['tasks/cancel', { taskId: 'a' }],
  ['tools/call', AS_TASK],
];

describe.for(REVISIONS)('to a server of %s that has no tasks', revision => {
  test.for(MESSAGES)('%s is not sent about one', async ([method, params]) => {
    const server = new ScriptedServer({ revision, capabilities: { tools: {} } });
    const client = await server.connect('over HTTP');
    expect((await failure(client.request(method, params))).kind).toBe('not-supported');
    expect((await failure(client.begin(method, params))).kind).toBe('not-supported');
    // The list says which headers the call of a tool needs.
    expect(server.methods.filter(sent => sent !== 'tools/list')).toEqual([]);
  });

  test('the state of a task of the client is not sent', async () => {
    const server = new ScriptedServer({ revision, capabilities: { tools: {} } });
    const client = await server.connect('over HTTP');
    const error = await failure(client.notify('notifications/tasks/status', TASK));
    expect(error.kind).toMatch(/^(not-supported|usage)$/);
    expect(server.methods).toEqual([]);
  });
});

test('of the messages about tasks only those are sent that the server declared', async () => {
  const tasks = { list: {}, requests: { tools: {} } };
  const server = new ScriptedServer({ revision: '2025-11-25', capabilities: { tools: {}, tasks } });
  const client = await server.connect('over HTTP');
  for (const [method, params] of MESSAGES) await client.request(method, params).catch(() => {});
  expect(server.methods).toEqual(['tasks/get', 'tasks/result', 'tasks/list']);
  const error = await failure(client.request('tasks/cancel', { taskId: 'a' }));
  expect(error.capability).toBe('tasks.cancel');
});

test('messages of the tasks extension are sent to a server that declared it', async () => {
  const capabilities = { tools: {}, extensions: { [TASKS_ID]: {} } };
  const server = new ScriptedServer({ revision: STATELESS, capabilities });
  const client = await server.connect('over HTTP');
  await client.request('tasks/get', { taskId: 'a' });
  await client.request('tasks/update', { taskId: 'a', inputResponses: {} });
  expect((await failure(client.request('tasks/list'))).kind).toBe('not-supported');
  expect(server.methods).toEqual(['tasks/get', 'tasks/update']);
});

test.for(REVISIONS)('an extension on %s may have methods with the same names', async revision => {
  const id = 'com.example/chores';
  const declared = { extensions: { [id]: {} }, experimental: { [id]: {} } };
  const server = new ScriptedServer({ revision, capabilities: { tools: {}, ...declared } });
  const client = await server.connect('over HTTP', { extensions: [{ id, requests: ['tasks/list'] }] });
  await client.request('tasks/list');
  expect(server.methods).toEqual(['tasks/list']);
});

test.for(['forbidden', undefined])(
  'a tool whose support for tasks is %s is not called as one, also by hand',
  async taskSupport => {
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    const tool = { name: 'x', inputSchema: { type: 'object' }, execution: { taskSupport } };
    const server = new ScriptedServer({
      revision: '2025-11-25',
      capabilities: { tools: {}, tasks },
      answer: ({ method }) => (method === 'tools/list' ? { tools: [tool] } : undefined),
    });
    const client = await server.connect('over HTTP', { extensions: [tasksClient()] });
    const error = await failure(client.request('tools/call', AS_TASK));
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('leave out `task`') });
    expect(server.methods).toEqual(['tools/list']);
  },
);
