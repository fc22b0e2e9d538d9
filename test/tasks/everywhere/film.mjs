import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'tenon';
import { tasks } from 'tenon/tasks';
import { z } from 'zod';

const NAME = z.object({ name: z.string() });
const PARTS = 5;

/** A server whose only tool asks twice, books, and works. Its handler is the same for every client and transport. */
export function createFilmStudio({ ledger, workMs, cluster }) {
  const work = tasks({ cluster, leaseMs: 3000 });
  const server = new Server(
    { name: 'studio', version: '1.0.0' },
    { extensions: [work], onWarning: () => {} },
  );
  const note = text => appendFileSync(ledger, `${text}\n`);

  server.tool(
    'film',
    {
      input: z.object({ title: z.string() }),
      output: z.object({ hero: z.string(), villain: z.string(), contract: z.string() }),
      task: { after: 50 },
    },
    async ({ title }, ctx) => {
      const hero = await ctx.elicit('Who is the hero?', NAME);
      const contract = await ctx.step('book', () => {
        note(`book ${process.pid} ${title}`);
        return `contract for ${title}`;
      });
      await ctx.step('shoot', async () => {
        note(`shoot ${process.pid} ${title}`);
        for (let part = 1; part <= PARTS; part++) {
          await sleep(workMs / PARTS, undefined, { signal: ctx.signal });
          ctx.progress(part, { total: PARTS });
        }
      });
      const villain = await ctx.elicit('Who is the villain?', NAME);
      if (hero.action !== 'accept' || villain.action !== 'accept') return ctx.error('nobody wants to play');
      return { hero: hero.content.name, villain: villain.content.name, contract };
    },
  );
  return { server, work };
}
