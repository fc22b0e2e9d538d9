import { deepEqual } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';

export { listen } from 'tenon/node';
export { Server, z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const managers = new Set<string>();
export const isTooOften = (_principal: string | undefined): boolean => false;
export const findTable = (guests: number): string | undefined => (guests > 6 ? undefined : 'Table 4');
export const cook = async (_dish: string, _options: { signal: AbortSignal }): Promise<void> => {};

export function createServer({ dishes }: { dishes: string[] }): Server {
  const kitchen = new Server({ name: 'bistro', version: '1.0.0' });
  for (const dish of dishes) kitchen.tool(dish, {}, () => 'Voilà');
  return kitchen;
}

writeFileSync('dish.png', 'a picture');

/** Calls what the page has registered. */
export async function check(): Promise<void> {
  const client = await connectTest(server, { caller: { principal: 'ada', subject: 'ada' } });
  const names = (await client.tools()).map(({ name }) => name);
  deepEqual(names.includes('refund'), true);
  deepEqual(names.includes('special'), false);
  const texts = async (name: string, args = {}) => textOf(await client.callTool(name, args));
  deepEqual(await texts('add', { a: 1, b: 2 }), '3');
  deepEqual(await texts('repeat', { text: 'a' }), 'aa');
  deepEqual(await texts('shout', { text: 'a' }), 'A');
  deepEqual((await client.callTool('order', { dish: 'soup', table: 4 })).structuredContent, {
    id: '4-soup',
    minutes: 20,
  });
  const wrong = await texts('order', { dish: 'soup', table: 'four' });
  deepEqual(
    wrong,
    'invalid arguments for tool "order": table: Invalid input: expected number, received string',
  );
  deepEqual(await texts('price'), 'The menu costs 12 €.');
  deepEqual((await client.callTool('photo')).content, [
    { type: 'image', data: Buffer.from('a picture').toString('base64'), mimeType: 'image/png' },
  ]);
  deepEqual((await client.callTool('blocks')).content.length, 5);
  deepEqual(await texts('seat', { guests: 9 }), 'We seat at most 8. Offer two tables.');
  deepEqual(await texts('seat', { guests: 7 }), 'No table is free before 9 pm.');
  deepEqual(await texts('cook', { dishes: ['soup'] }), 'Bon appétit!');
  deepEqual(client.heard.logs.length, 1);
  deepEqual((await client.callTool('translate'))._meta?.['com.acme/cost'], 2);
  const { hits } = (await client.request('acme/search', { query: 'fish' })) as { hits?: unknown };
  deepEqual(hits, ['fish soup']);
  deepEqual(await texts('agent'), 'unknown');
}
