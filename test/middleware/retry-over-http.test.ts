import { expect, it } from 'vitest';
import { retry } from '../../src/middleware/index.js';
import { failure, pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';

const BUSY = -31503;

it.each([429, 503])('retry sends a call again that a busy server refused with status %i', async status => {
  let refusals = 2;
  const { client } = await pair(
    modern({
      'tools/call': ask =>
        refusals-- > 0 ? ask.error(BUSY, 'later', { status, data: { retryAfterMs: 1 } }) : ask.text('done'),
    }),
    { middleware: [retry({ firstPauseMs: 1 })] },
  );
  expect(await client.callTool('pay')).toMatchObject({ content: [{ text: 'done' }] });
});

it('retry sends no call again that failed with status 503 for another reason', async () => {
  const { client, server } = await pair(
    modern({ 'tools/call': ask => ask.error(-32603, 'broken', { status: 503 }) }),
    { middleware: [retry({ firstPauseMs: 1 })] },
  );
  expect(await failure(client.callTool('pay'))).toMatchObject({ status: 503, cause: { code: -32603 } });
  expect(server.of('tools/call')).toHaveLength(1);
});
