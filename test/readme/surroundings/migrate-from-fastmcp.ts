import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import type { Client } from 'tenon/client';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';

export { z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });

/** Calls what the page has registered. */
export async function check(snippets: readonly { server?: unknown }[]): Promise<void> {
  const caller = { principal: 'ada', subject: 'ada', claims: { role: 'manager' } };
  const client = await connectTest(server, { answers: { elicit: { guests: 2 } }, caller });
  deepEqual(textOf(await client.callTool('reserve')), 'Reserved for 2');
  deepEqual(textOf(await client.callTool('refund')), 'Refunded by ada');
  deepEqual(textOf(await client.readResource('menu://today')), 'Soup on today');
  deepEqual(textOf(await client.getPrompt('review', { dish: 'soup' })), 'Review the soup.');
  await checkTimeLimit(client);

  const [own] = snippets.flatMap(snippet => (snippet.server instanceof Server ? snippet.server : []));
  const orders = await connectTest(own as Server);
  deepEqual((await orders.callTool('order', { dish: 'soup' })).structuredContent, { minutes: 20 });
  const refused = await orders.callTool('order', { dish: 'fish' });
  deepEqual([refused.isError, textOf(refused)], [true, 'There is no fish today.']);
  await orders.heard.until(({ logs, progress }) => logs.length === 2 && progress.length === 2);
}

/** Calls a tool whose time is up at once. */
async function checkTimeLimit(client: Client): Promise<void> {
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => AbortSignal.abort(new DOMException('the time is up', 'TimeoutError'));
  const result = await client.callTool('forecast');
  AbortSignal.timeout = timeout;
  deepEqual([result.isError, textOf(result)], [true, 'The forecast timed out.']);
}
