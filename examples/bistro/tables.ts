import { type Server, ToolError } from 'tenon';
import { z } from 'zod';
import type { House } from './house.ts';
import { icon } from './icon.ts';

/** Tables as data: the results of these tools follow a schema, and clients get them as structured content. */
export function addTables(server: Server, house: House): void {
  server.tool(
    'list_tables',
    {
      title: 'List tables',
      description: 'The tables of the house, and which of them are free',
      input: z.object({ seats: z.int().min(1).default(1).describe('How many seats it needs') }),
      output: z.object({
        tables: z.array(z.object({ id: z.string(), seats: z.int(), free: z.boolean() })),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [icon('🪑')],
    },
    ({ seats }) => ({
      tables: house.tables
        .filter(table => table.seats >= seats)
        .map(({ id, seats, reservedFor }) => ({ id, seats, free: reservedFor === undefined })),
    }),
  );

  server.tool(
    'reserve',
    {
      title: 'Reserve a table',
      description: 'Reserves a table for tonight',
      input: z.object({ table: z.string(), guests: z.int().min(1), name: z.string().min(1) }),
      output: z.object({ table: z.string(), guests: z.int(), confirmation: z.string() }),
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
      icons: [icon('📅')],
    },
    ({ table: id, guests, name }) => {
      const table = house.tables.find(table => table.id === id);
      if (!table) throw new ToolError(`There is no table "${id}". list_tables knows them all.`);
      if (table.reservedFor !== undefined) throw new ToolError(`The ${id} table is taken tonight.`);
      if (table.seats < guests) throw new ToolError(`The ${id} table has only ${table.seats} seats.`);
      table.reservedFor = name;
      return { table: id, guests, confirmation: `${name}, party of ${guests}, at the ${id} table` };
    },
  );
}
