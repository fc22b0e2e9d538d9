import { readFile } from 'node:fs/promises';
import { Server } from 'tenon';
import { z } from 'zod';
import { inOneFile } from '../../examples/apps/one-file.js';

const VIEWS = new URL('./views/', import.meta.url);
export const APP_TYPE = 'text/html;profile=mcp-app';

/** A server with an app on the official class, and one that speaks the protocol by hand. */
export async function createAppServer(): Promise<Server> {
  const server = new Server({ name: 'evenings', version: '1.0.0' });
  const guests = ['Ada', 'Grace', 'Emmy'];
  addPage(server, 'ui://evenings/guests', await inOneFile(new URL('guests.html', VIEWS)));
  addPage(server, 'ui://evenings/takings', await readFile(new URL('takings.html', VIEWS), 'utf8'));

  server.tool(
    'show_guests',
    {
      title: 'Show the guests',
      description: 'Shows who comes on an evening, and lets you invite more',
      input: z.object({ evening: z.string() }),
      meta: { ui: { resourceUri: 'ui://evenings/guests' } },
    },
    async ({ evening }, { signal }) => {
      if (evening === 'Never') await new Promise(resolve => signal.addEventListener('abort', resolve));
      return {
        content: [{ type: 'text', text: `${guests.length} guests come on ${evening}.` }],
        structuredContent: { guests },
      };
    },
  );
  server.tool(
    'invite',
    {
      title: 'Invite a guest',
      input: z.object({ name: z.string() }),
      meta: { ui: { visibility: ['app'] } },
    },
    ({ name }) => {
      guests.push(name);
      return { content: [], structuredContent: { guests } };
    },
  );
  server.tool(
    'show_takings',
    // The spelling of the drafts, which servers in the field still use.
    { title: 'Show the takings', meta: { 'ui/resourceUri': 'ui://evenings/takings' } },
    () => ({
      content: [{ type: 'text', text: 'Friday was best.' }],
      structuredContent: {
        days: [
          { day: 'Thu', euros: 640 },
          { day: 'Fri', euros: 1480 },
          { day: 'Sat', euros: 1210 },
        ],
      },
    }),
  );
  server.tool(
    'takings_of_day',
    { input: z.object({ day: z.string() }) },
    ({ day }) => `${day}: mostly quiche`,
  );
  return server;
}

/** Registers the page of an app, which may change. */
export function addPage(server: Server, uri: string, html: string | (() => string), ui?: object): void {
  server.resource(uri, { mimeType: APP_TYPE }, () => {
    const text = typeof html === 'string' ? html : html();
    return { contents: [{ uri, mimeType: APP_TYPE, text, ...(ui && { _meta: { ui } }) }] };
  });
}
