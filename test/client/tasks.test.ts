import { expect, it } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { legacy } from '../client-faults/raw-server.js';

// covers: 2025-11-25/tasks/client-needs-the-capability, 2025-11-25/tasks/forbidden-tools-are-not-tasks
// covers: 2025-11-25/tasks/no-tasks-without-the-capability, 2025-11-25/tasks/only-declared-requests
it.each<[string, object]>([
  ['declares no tasks', {}],
  ['declares tasks for other requests', { tasks: { list: {}, cancel: {} } }],
])('a server of 2025-11-25 that %s is asked for none', async (_, tasks) => {
  const { client, server } = await pair(
    legacy({
      initialize: ask =>
        ask.result({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, ...tasks },
          serverInfo: { name: 'raw', version: '1' },
        }),
      'tools/list': ask =>
        ask.result({
          tools: ['forbidden', 'optional', undefined].map(taskSupport => ({
            name: `${taskSupport}`,
            inputSchema: { type: 'object' },
            ...(taskSupport && { execution: { taskSupport } }),
          })),
        }),
      'tools/call': ask => ask.text('done'),
    }),
  );
  for (const { name } of await client.tools()) await client.callTool(name);
  expect(server.of('initialize')[0]!.message.params.capabilities).not.toHaveProperty('tasks');
  expect(server.of('tools/call')).toHaveLength(3);
  for (const { message } of server.of('tools/call')) expect(message.params).not.toHaveProperty('task');
});
