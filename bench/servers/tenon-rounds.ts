import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { z } from 'zod';
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
