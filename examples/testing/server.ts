import { Server } from 'tenon';
import { z } from 'zod';

/** A till, as a server to test. Each test makes its own. */
export function createTill(): Server {
  const server = new Server({ name: 'till', version: '1.0.0' });
  let total = 0;

  server.tool(
    'charge',
    { input: z.object({ euros: z.number().positive() }), output: z.object({ total: z.number() }) },
    async ({ euros }, ctx) => {
      if (euros > 100) {
        const answer = await ctx.elicit(`Charge ${euros} euros?`, z.object({ sure: z.boolean() }));
        if (answer.action !== 'accept' || !answer.content.sure) return ctx.error('Nothing was charged.');
      }
      total += euros;
      ctx.log.info(`${euros} euros`);
      server.resourceChanged('till://total');
      return { total };
    },
  );

  server.resource('till://total', { name: 'total', mimeType: 'text/plain' }, () => String(total));
  server.tool('empty', { authorize: ({ caller }) => caller?.principal === 'boss' }, () => {
    total = 0;
    return 'The till is empty.';
  });
  return server;
}
