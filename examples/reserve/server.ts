// The server that the examples of frameworks and runtimes serve. Its tool asks the user, on every revision.
import { Server } from 'tenon';
import { z } from 'zod';

export const server = new Server({ name: 'reserve', version: '1.0.0' });

server.tool(
  'reserve',
  {
    description: 'Reserves a table',
    input: z.object({ name: z.string().min(1) }),
    output: z.object({ name: z.string(), guests: z.int() }),
  },
  async ({ name }, ctx) => {
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.int().min(1) }));
    if (party.action !== 'accept') return ctx.error('No table was reserved.');
    return { name, guests: party.content.guests };
  },
);
