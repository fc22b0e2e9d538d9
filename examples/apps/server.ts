import { Server } from 'tenon';
import { app, showsApps, visibleTo } from 'tenon/apps';
import { z } from 'zod';
import { Floor } from './floor.ts';
import { inOneFile } from './one-file.ts';
import { dishesOf, type Takings, takingsOf, WEEKDAYS } from './takings.ts';

const weekday = z.enum(WEEKDAYS);
const table = z.object({ id: z.string(), seats: z.int(), isFree: z.boolean() });

/** A bistro that shows its week as a chart, and its tables as a plan to book one in. */
export async function createBistro(): Promise<Server> {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const floor = new Floor();
  // A plain page, which speaks the protocol of apps by hand.
  const chart = app({ html: await view('takings') }, { title: 'Takings', prefersBorder: true });
  // A page in TypeScript, which uses the class App of @modelcontextprotocol/ext-apps.
  const plan = app({ html: await view('tables') }, { title: 'Tables', prefersBorder: true });

  server.tool(
    'show_takings',
    {
      title: 'Takings of the week',
      description: 'Shows what the bistro took on each day of a week, as a chart',
      input: z.object({ week: z.int().min(1).max(53) }),
      output: z.object({
        week: z.int(),
        days: z.array(z.object({ day: weekday, guests: z.int(), amount: z.number() })),
      }),
      annotations: { readOnlyHint: true },
      ui: chart,
    },
    ({ week }, ctx) => {
      const takings = takingsOf(week);
      const text = showsApps(ctx) ? summaryOf(takings) : `${summaryOf(takings)}\n\n${tableOf(takings)}`;
      return { structuredContent: takings, content: [{ type: 'text', text }] };
    },
  );

  server.tool(
    'takings_of_day',
    {
      description: 'What was sold on a day',
      input: z.object({ week: z.int().min(1).max(53), day: weekday }),
      output: z.object({ dishes: z.array(z.object({ name: z.string(), amount: z.number() })) }),
      annotations: { readOnlyHint: true },
      // The chart calls it when a bar is clicked. The model does not see it.
      ui: visibleTo('app'),
    },
    ({ week, day }) => ({ dishes: dishesOf(week, day) }),
  );

  server.tool(
    'choose_table',
    {
      title: 'Choose a table',
      description: 'Shows the tables of the bistro, for the user to book one',
      input: z.object({ guests: z.int().min(1).max(8) }),
      output: z.object({ guests: z.int(), tables: z.array(table) }),
      ui: plan,
    },
    ({ guests }, ctx) => {
      const tables = floor.tables();
      const free = tables.filter(({ isFree, seats }) => isFree && seats >= guests).map(({ id }) => id);
      const fitting = `${free.length} tables for ${guests} are free`;
      const text = showsApps(ctx)
        ? `${fitting}. The user sees them and can book one.`
        : `${fitting}: ${free.join(', ')}. This host cannot show the plan: call the bistro to book.`;
      return { structuredContent: { guests, tables }, content: [{ type: 'text', text }] };
    },
  );

  server.tool(
    'book_table',
    {
      description: 'Books a table',
      input: z.object({
        table: z.string(),
        guests: z.int().min(1).max(8),
        name: z.string().trim().min(1).max(60),
      }),
      output: z.object({ confirmation: z.string(), tables: z.array(table) }),
      ui: visibleTo('app'),
    },
    ({ table: id, guests, name }, ctx) => {
      const problem = floor.book(id, guests, name);
      if (problem) return ctx.error(problem);
      return { confirmation: `Table ${id} is booked for ${name}, ${guests} guests.`, tables: floor.tables() };
    },
  );

  return server;
}

function view(name: string): Promise<string> {
  return inOneFile(new URL(`views/${name}.html`, import.meta.url));
}

function summaryOf({ week, days }: Takings): string {
  const total = days.reduce((sum, { amount }) => sum + amount, 0);
  const [best] = [...days].sort((one, other) => other.amount - one.amount);
  return `Week ${week}: € ${total} in all, the most on ${best?.day}.`;
}

function tableOf({ days }: Takings): string {
  const rows = days.map(({ day, guests, amount }) => `| ${day} | ${guests} | € ${amount} |`);
  return ['| day | guests | takings |', '| --- | --- | --- |', ...rows].join('\n');
}
