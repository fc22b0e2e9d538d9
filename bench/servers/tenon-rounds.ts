import { z } from 'zod';
import { Server } from '../../dist/index.js';
import { listen } from '../../dist/node/index.js';
import { announce } from './announce.js';

const number = z.object({ n: z.number() });
const server = new Server({ name: 'bench', version: '1.0.0' });
server.tool('plain', {}, async () => 'done');
server.tool('three_rounds', {}, async (_args, ctx) => {
  await ctx.elicit('The first number?', number);
  await ctx.elicit('The second number?', number);
  return 'done';
});

const { url } = await listen(server, { port: 0 });
announce(url);
