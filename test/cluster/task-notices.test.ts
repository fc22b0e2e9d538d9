import { expect, it } from 'vitest';
import { META } from '../../src/protocol/meta.js';
import { memoryCluster } from '../../src/server/cluster/memory.js';
import { Server } from '../../src/server/index.js';
import { tasks } from '../../src/server/tasks/index.js';
import { gate } from '../tasks/studio.js';
import { afterTest, type Node, startNodes } from './nodes.js';
import { callModern, listenAt } from './wire.js';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

it('tells a stream once that a task has ended, however many nodes hear of it', async () => {
  const { opened, open } = gate();
  const cluster = memoryCluster();
  const nodes = await startNodes(
    async () => ({ connect: () => cluster, close: () => cluster.close() }),
    3,
    log => {
      const work = tasks({ cluster });
      afterTest(() => work.close());
      const server = new Server({ name: 'studio', version: '1.0.0' }, { ...log, extensions: [work] });
      server.tool('render', { task: 'always' }, async () => {
        await opened;
        return 'rendered';
      });
      return server;
    },
  );
  const urls = nodes.map(({ running }) => running.url) as [string, string, string];
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: TASKS };
  const { result } = await callModern(urls[0], 'render', { _meta });
  const filter = { taskIds: [result?.taskId], toolsListChanged: true };
  const streams = await Promise.all(urls.map(url => listenAt(url, filter, { capabilities: TASKS })));
  open();
  const first = await Promise.all(streams.map(stream => stream.nextOf('notifications/tasks')));
  expect(first.map(({ params }) => params?.status)).toEqual(['completed', 'completed', 'completed']);
  // Whatever another node had passed on would come before this.
  (nodes[1] as Node).server.listChanged('tools');
  for (const stream of streams)
    expect((await stream.next())?.method).toBe('notifications/tools/list_changed');
});
