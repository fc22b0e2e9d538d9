import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';

export { z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });

/** Calls what the page has registered. */
export async function check(): Promise<void> {
  const caller = { principal: 'ada', subject: 'ada', claims: { role: 'manager' } };
  const client = await connectTest(server, { answers: { elicit: { guests: 2 } }, caller });
  deepEqual(textOf(await client.callTool('reserve')), 'Reserved for 2');
  deepEqual(textOf(await client.callTool('refund')), 'Refunded by ada');
  deepEqual(textOf(await client.readResource('menu://today')), 'Soup on today');
  deepEqual(textOf(await client.getPrompt('review', { dish: 'soup' })), 'Review the soup.');
}
