import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { z } from 'zod';

/** The server that the snippets for clients talk to. */
export const bistro = new Server({ name: 'bistro', version: '1.0.0' });

bistro.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);
bistro.tool(
  'reserve',
  { input: z.object({ restaurant: z.string() }), output: z.object({ id: z.string(), guests: z.number() }) },
  async ({ restaurant }, ctx) => {
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
    if (party.action !== 'accept') return ctx.error('No table was reserved.');
    return { id: `${restaurant}-17`, guests: party.content.guests };
  },
);
bistro.resource('menu://today', { name: 'Menu' }, () => 'Soup');

/** Stands for `https://bistro.example/mcp` in snippets that run. */
export const bistroUrl = (await listen(bistro, { port: 0 })).url;
