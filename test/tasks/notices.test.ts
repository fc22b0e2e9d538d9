import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/server/listen.js';
import { memoryCluster } from '../../src/server/cluster/index.js';
import { freshKeys } from '../keys.js';
import { createStudio } from './studio.js';

it('a change of a task is told once to a client that listens, however many nodes there are', async () => {
  const cluster = memoryCluster();
  const keys = freshKeys();
  const urls = await Promise.all(
    [1, 2, 3].map(async () => {
      const { server, work } = createStudio({ cluster });
      server.tool('render', { task: 'always' }, async (_, ctx) => {
        const { action } = await ctx.elicit('Go on?', z.object({}));
        return action;
      });
      const running = await listen(server, { port: 0, keys, cluster });
      await work.start();
      onTestFinished(async () => {
        await running.close(0);
        await work.close();
      });
      return running.url;
    }),
  );
  const heard: unknown[] = [];
  const [client] = await Promise.all(
    urls.map(url =>
      connect(url, {
        extensions: [tasksClient()],
        onElicit: () => ({ action: 'decline' }),
        onMessage: traffic => {
          if (traffic.direction !== 'received' || traffic.message.method !== 'notifications/tasks') return;
          heard.push(JSON.stringify(traffic.message.params));
        },
      }),
    ),
  );
  for (let count = 0; count < 5; count++) await client?.callTool('render');
  expect(heard).not.toEqual([]);
  expect(heard).toEqual([...new Set(heard)]);
});
