import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type TaskHandle, tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';

const PROGRAM = fileURLToPath(new URL('fixtures/tasks-program.mjs', import.meta.url));

it('a task of a program is followed over stdio by its notices, with its question', async () => {
  const client = await connect(
    { command: process.execPath, args: [PROGRAM] },
    {
      extensions: [tasksClient()],
      onElicit: () => ({ action: 'accept', content: { name: 'Luca' } }),
    },
  );
  onTestFinished(() => client.close());
  expect(client.revision).toBe('2026-07-28');
  const told: TaskHandle['status'][] = [];
  const { content } = await client.callTool('greet', {}, { onTask: ({ status }) => told.push(status) });
  expect(content).toEqual([{ type: 'text', text: 'Hello, Luca!' }]);
  expect(told.at(-1)).toBe('completed');
});
