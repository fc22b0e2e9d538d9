// A route handler of Next: the server is at /mcp.
import { Server } from 'tenon';
import { fetchHandler } from 'tenon/http';
import { z } from 'zod';

const server = new Server({ name: 'reserve', version: '1.0.0' });

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

const handler = fetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST };
