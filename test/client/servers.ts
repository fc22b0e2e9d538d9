import { afterEach } from 'vitest';
import type { z } from 'zod';
import type { Client, ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';

/** The revisions that can ask a client, and so can everything else. */
export const ASKING = ['2025-06-18', '2025-11-25', '2026-07-28'];

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Serves over HTTP until the end of the test. */
export async function serve(server: Server): Promise<string> {
  const { url, close } = await listen(server, { port: 0, keys: freshKeys() });
  cleanups.push(() => close(0));
  return url;
}

/** Connects until the end of the test. */
export async function open(target: string | Server, options?: ConnectOptions): Promise<Client> {
  const client = await connect(target, options);
  cleanups.push(() => client.close());
  return client;
}

/** A bistro whose only tool asks the given things, all at once, and returns the answers. */
export function askingServer(...forms: z.ZodObject[]): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('ask', {}, async (_args, ctx) => {
    const answers = await Promise.all(forms.map((form, at) => ctx.elicit(`Question ${at}`, form)));
    return JSON.stringify(answers);
  });
  return server;
}

/** The text of a tool's result, read as JSON. */
export function read(result: { content: object[] }): unknown {
  return JSON.parse((result.content[0] as { text: string }).text);
}
