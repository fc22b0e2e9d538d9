import { z } from 'zod';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { tasks } from '../../src/server/tasks/index.js';
import { freshKeys } from '../keys.js';
import { borrowCluster } from './ipc-cluster.js';

// A node of a server, as a process of its own. The first one never ends its work.
const name = process.argv[2];
const work = tasks({ cluster: borrowCluster(), leaseMs: 1500 });
const server = new Server({ name: 'studio', version: '1.0.0' }, { extensions: [work] });
const enter = (step: string) => process.send?.({ kind: 'ledger', entry: `${step} by ${name}` });

server.tool('render', { task: 'auto' }, async (_, ctx) => {
  await ctx.step('one', () => enter('one'));
  enter('work');
  if (name === 'first') await new Promise(() => {});
  const answer = await ctx.elicit('Go on?', z.object({ go: z.boolean() }));
  await ctx.step('two', () => enter('two'));
  return `${answer.action} by ${name}`;
});

const { url } = await listen(server, { port: 0, keys: freshKeys() });
await work.start();
process.send?.({ kind: 'ready', url });
process.once('disconnect', () => process.exit());
