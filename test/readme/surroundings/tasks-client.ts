import { readFileSync, writeFileSync } from 'node:fs';
import { Server } from 'tenon';
import { connect, type ElicitFormParams, type ElicitResult } from 'tenon/client';
import { extension, extensionResult, method } from 'tenon/extensions';
import { listen } from 'tenon/node';
import { tasksClient } from 'tenon/tasks/client';
import { z } from 'zod';

export { readFileSync, tasksClient, writeFileSync };

/** Tasks that are done when they are looked at. */
const tasks = extension({
  id: 'io.modelcontextprotocol/tasks',
  resultTypes: ['task'],
  methods: {
    'tasks/get': method(z.object({ taskId: z.string() }), ({ taskId }) => ({
      taskId,
      status: 'completed',
      ttlMs: null,
      result: { content: [{ type: 'text', text: 'a kitchen' }] },
    })),
  },
  install: server =>
    void server.tool('render', { input: z.object({ scenes: z.array(z.string()) }) }, () =>
      extensionResult('task', {
        taskId: crypto.randomUUID(),
        status: 'working',
        ttlMs: null,
        pollIntervalMs: 10,
      }),
    ),
});

const server = new Server({ name: 'studio', version: '1.0.0' }, { extensions: [tasks] });
const running = await listen(server, { port: 0 });
export const url = running.url;
export const askTheUser = async (_form: ElicitFormParams): Promise<ElicitResult> => ({ action: 'decline' });
export const client = await connect(url, { extensions: [tasksClient()] });
