import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';
import { z } from 'zod';

export { z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const cellar = (country: string): string[] => (country === 'France' ? ['Chablis', 'Beaujolais'] : []);

/** Gets what the page has registered. */
export async function check(): Promise<void> {
  const client = await connectTest(server);
  const review = await client.getPrompt('review', { dish: 'soup' });
  deepEqual(textOf(review), 'Write a friendly review of the soup.');
  const { messages } = await client.getPrompt('translate', { menu: 'today' });
  deepEqual(
    messages.map(({ role }) => role),
    ['user', 'user', 'assistant'],
  );
}
