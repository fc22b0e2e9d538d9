import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';
import { bistroUrl } from './bistro.js';

export { z };

export const url = bistroUrl;
export const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);

/** Calls what the page has registered. */
export async function check(snippets: readonly { server?: unknown }[]): Promise<void> {
  const client = await connectTest(server, { answers: { elicit: { guests: 2 } } });
  deepEqual(textOf(await client.callTool('reserve', { restaurant: 'Nous' })), 'Nous for 2');
  deepEqual((await client.callTool('weigh', { dish: 'soup' })).structuredContent, { grams: 250 });
  deepEqual(textOf(await client.readResource('menu://today')), 'Soup on today');
  deepEqual(textOf(await client.getPrompt('review', { dish: 'soup' })), 'Review the soup.');

  const [own] = snippets.flatMap(snippet => (snippet.server instanceof Server ? snippet.server : []));
  const sums = await connectTest(own as Server);
  deepEqual(textOf(await sums.callTool('add', { a: 1, b: 2 })), '3');
}
