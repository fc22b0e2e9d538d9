// Tests for one's own server: npx vitest run examples/testing
import { connectTest, eachRevision, textOf } from 'tenon/testing';
import { expect, test } from 'vitest';
import { createTill } from './server.ts';

// A test for every revision that clients may speak. Structured results came with 2025-06-18.
eachRevision(test, 'adds up what was charged', { since: '2025-06-18' }, async connect => {
  const client = await connect(createTill());
  await client.callTool('charge', { euros: 20 });
  const { structuredContent } = await client.callTool('charge', { euros: 22 });
  expect(structuredContent).toEqual({ total: 42 });
});

eachRevision(test, 'asks before it charges a lot', { since: '2025-06-18' }, async connect => {
  const client = await connect(createTill(), { answers: { elicit: [{ sure: true }, 'decline'] } });
  expect((await client.callTool('charge', { euros: 500 })).structuredContent).toEqual({ total: 500 });
  const refused = await client.callTool('charge', { euros: 500 });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toBe('Nothing was charged.');
  expect(client.heard.questions).toHaveLength(2);
});

test('refuses amounts that are not positive', async () => {
  await using client = await connectTest(createTill());
  const result = await client.callTool('charge', { euros: -1 });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('euros');
});

test('tells who watches the total', async () => {
  await using client = await connectTest(createTill());
  await client.watch({ resources: ['till://total'] });
  await client.callTool('charge', { euros: 20 });
  await client.heard.until(({ changes }) => changes.length > 0);
  expect(client.heard.changes).toEqual([{ kind: 'resource', uri: 'till://total' }]);
  expect(textOf(await client.readResource('till://total'))).toBe('20');
});

test('lets nobody but the boss empty the till', async () => {
  await using boss = await connectTest(createTill(), { caller: { principal: 'boss' } });
  expect(textOf(await boss.callTool('empty'))).toBe('The till is empty.');
  await using waiter = await connectTest(createTill(), { caller: { principal: 'waiter' } });
  await expect(waiter.callTool('empty')).rejects.toThrow();
});
