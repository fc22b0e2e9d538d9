import { expect, test } from 'vitest';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { modern } from './messages.js';
import { echoing } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const KiB = 1024;
const LIMIT = 1024 * KiB;

function toRequest(name: string, extra: Record<string, string> = {}): Request {
  const { headers, body } = modern('tools/call', { name, arguments: { value: 1 } });
  const all = { ...(headers as Record<string, string>), ...extra };
  return new Request('http://localhost/mcp', { method: 'POST', headers: all, body: body as string });
}

test('the headers of requests through the fetch API count until their responses are sent', async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  const released = signalled<void>();
  echoing(server);
  server.tool('hold', { input: { type: 'object' } }, async () => {
    await released.promise;
    return 'held';
  });
  const handle = fetchHandler(server, { keys: freshKeys(), maxHeldBytes: LIMIT });
  const padding = { 'x-padding': 'x'.repeat(100 * KiB) };
  const held = Array.from({ length: 20 }, () => handle(toRequest('hold', padding)));
  // Those that are refused are answered at once, the others only when they are released.
  const refused = await Promise.any(held);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await handle(toRequest('echo'))).status).toBe(200);
  released.resolve();
  const statuses = (await Promise.all(held)).map(({ status }) => status);
  const served = statuses.filter(status => status === 200).length;
  expect(served).toBeGreaterThan(3);
  expect(served * 100 * KiB).toBeLessThan(LIMIT);
  for (let n = 0; n < 30; n++) expect((await handle(toRequest('echo', padding))).status).toBe(200);
  await handle.close(0);
});
