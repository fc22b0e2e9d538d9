import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { memoryCluster } from '../../src/server/cluster/index.js';
import { program } from '../programs/program.js';
import { lendCluster } from './ipc-cluster.js';

it('a task goes on in another process when its own is killed, with the steps that it has done', async () => {
  const cluster = memoryCluster();
  const ledger: string[] = [];
  const start = async (name: string) => {
    const child = spawn(process.execPath, [program('test/tasks/node-process.ts'), name], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    lendCluster(cluster, child);
    child.on('message', (message: { kind: string; entry: string }) => {
      if (message.kind === 'ledger') ledger.push(message.entry);
    });
    return { child, url: await urlOf(child) };
  };
  const [first, second] = await Promise.all([start('first'), start('second')]);
  const ada = await open(first!.url);
  const params = { name: 'render', task: {} };
  const { task } = await ada.request({ method: 'tools/call', params }, CreateTaskResultSchema);
  await vi.waitFor(() => expect(ledger).toEqual(['one by first', 'work by first']), { timeout: 120_000 });
  first!.child.kill('SIGKILL');
  await once(first!.child, 'exit');
  const bob = await open(second!.url);
  const result = await bob.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema, {
    timeout: 120_000,
  });
  expect(result.content).toEqual([{ type: 'text', text: 'accept by second' }]);
  // The work of the second node runs again with the answer; steps do not.
  expect(ledger.filter(entry => !entry.startsWith('work'))).toEqual(['one by first', 'two by second']);
  await bob.close();
}, 180_000);

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the node exited with ${code}`)));
    child.on('message', (message: { kind: string; url: string }) => {
      if (message.kind === 'ready') resolve(message.url);
    });
  });
}

async function open(url: string): Promise<Client> {
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { go: true } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  return client;
}
