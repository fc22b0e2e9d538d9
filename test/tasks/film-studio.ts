import { z } from 'zod';
import { ERROR, McpError, Server } from '../../src/server/index.js';
import { tasks } from '../../src/server/tasks/index.js';

/** A server with one tool of each kind. */
export function createFilmStudio(): Server {
  const server = new Server(
    { name: 'film-studio', version: '1.0.0' },
    { extensions: [tasks()], onWarning: () => {} },
  );
  server.tool('greet', {}, () => 'hello');
  server.tool(
    'cast',
    { output: z.object({ hero: z.string(), villain: z.string(), booked: z.number() }), task: 'auto' },
    async (_, ctx) => {
      const name = z.object({ name: z.string() });
      const hero = await ctx.elicit('Who is the hero?', name);
      ctx.progress(1, { message: 'the hero is cast' });
      const booked = await ctx.step('book', () => ++bookings);
      const villain = await ctx.elicit('Who is the villain?', name);
      if (hero.action !== 'accept' || villain.action !== 'accept') return ctx.error('nobody wants to play');
      return { hero: hero.content.name, villain: villain.content.name, booked };
    },
  );
  server.tool('burn', { task: 'always' }, (_, ctx) => ctx.error('no oxygen'));
  server.tool('break', { task: 'always' }, () => {
    throw new McpError(ERROR.internal, 'the lens broke', { lens: 3 });
  });
  server.tool('wait', { task: 'always' }, async (_, ctx) => {
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
  });
  return server;
}

let bookings = 0;
