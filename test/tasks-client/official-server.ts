import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Tools that run as tasks, on the experimental parts of the official SDK. Tasks outlive sessions if the store does. */
export function createOfficialServer(store = new InMemoryTaskStore()): McpServer {
  const server = new McpServer(
    { name: 'official', version: '1.0.0' },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: store,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.experimental.tasks.registerToolTask(
    'render',
    {
      inputSchema: { scene: z.string(), asks: z.boolean().optional(), waits: z.boolean().optional() },
      execution: { taskSupport: 'required' },
    },
    {
      async createTask({ scene, asks, waits }, extra) {
        const task = await extra.taskStore.createTask({
          ttl: extra.taskRequestedTtl ?? 60_000,
          pollInterval: 20,
        });
        const { taskId } = task;
        const work = async () => {
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: extra._meta?.progressToken ?? 0, progress: 1, total: 2 },
          });
          await store.updateTaskStatus(taskId, 'working', 'mixing colours');
          if (waits) return;
          const colour = asks ? await ask() : 'white';
          await store.storeTaskResult(taskId, 'completed', {
            content: [{ type: 'text', text: `${scene} in ${colour}` }],
          });
        };
        const ask = async () => {
          const answer = await extra.sendRequest(
            {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'Which colour?',
                requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
              },
            },
            ElicitResultSchema,
            // Its types leave out what its code needs here.
            { relatedTask: { taskId } } as object,
          );
          return answer.content?.colour ?? answer.action;
        };
        work().catch(error =>
          store.storeTaskResult(taskId, 'failed', {
            content: [{ type: 'text', text: String(error) }],
            isError: true,
          }),
        );
        return { task };
      },
      getTask: (_, extra) => extra.taskStore.getTask(extra.taskId) as never,
      getTaskResult: (_, extra) => extra.taskStore.getTaskResult(extra.taskId) as never,
    },
  );
  return server;
}
