import { expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const KEY = function key() {
  return 'sk-SECRET';
};

it.each([
  ['a function', KEY, 'a function'],
  ['a class', class Secret {}, 'a function'],
  ['a symbol', Symbol('sk-SECRET'), 'a symbol'],
])('a log message whose data is %s says so, and does not show what is in it', async (_, data, reason) => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('log', {}, (_args, ctx) => {
    ctx.log.error(data);
    return 'logged';
  });
  const client = await connectRaw(server, { revision: '2025-06-18' });
  await client.request('tools/call', { name: 'log' });
  expect(client.notifications.map(({ params }) => params)).toEqual([
    { level: 'error', data: `[not JSON: ${reason}]` },
  ]);
});
