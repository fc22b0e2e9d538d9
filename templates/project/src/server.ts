import { Server } from 'tenon';
import { z } from 'zod';

const server = new Server({ name: 'my-server', version: '0.1.0' });

server.tool(
  'reserve',
  {
    title: 'Reserve a table',
    description: 'Reserves a table, and asks the user how many guests will come',
    input: z.object({ day: z.enum(['friday', 'saturday', 'sunday']) }),
    output: z.object({ table: z.string(), guests: z.number() }),
  },
  async ({ day }, ctx) => {
    // Works with every client that has forms: where the server cannot ask, the call ends here and runs again.
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.number().int().min(1).max(8) }));
    if (party.action !== 'accept') return ctx.error('No table was reserved.');
    const { guests } = party.content;
    // A step runs once, however often the call runs.
    const table = await ctx.step('hold', () => holdTable(day, guests));
    return { table, guests };
  },
);

server.resource(
  'menu://today',
  { name: 'Menu', mimeType: 'text/markdown' },
  () => '# Today\n\n- Onion soup\n- Quiche\n',
);

function holdTable(day: string, guests: number): string {
  return `${day}-table-for-${guests}`;
}

export default server;
