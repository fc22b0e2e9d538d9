import { expect, test } from 'vitest';
import { connected, serveRaw } from '../client-faults/connected.js';
import { type Ask, DISCOVERY, LEGACY, legacy, MODERN, welcome } from '../client-faults/raw-server.js';

const tools = (ask: Ask) => ask.result({ tools: [] });

test('an answer to the probe wins while initialize is pending', async () => {
  let probe: Ask | undefined;
  const server = await serveRaw(
    legacy({
      'server/discover': ask => {
        probe = ask;
      },
      initialize: () => probe?.result(DISCOVERY),
      'tools/list': tools,
    }),
  );
  const client = await connected(server.url, { probeTimeoutMs: 100 });
  expect(client.revision).toBe(MODERN);
  expect(client.negotiated.doubtful).toBeUndefined();
  expect(await client.tools()).toEqual([]);
  expect(server.of('server/discover')).toHaveLength(1);
  expect(server.of('notifications/initialized')).toEqual([]);
});

test('a refusal of the probe while initialize is pending leaves no doubt about the revision', async () => {
  let probe: Ask | undefined;
  const server = await serveRaw(
    legacy({
      'server/discover': ask => {
        probe = ask;
      },
      initialize: async ask => {
        probe?.error(-32601, 'no such method');
        await probe?.gone;
        welcome(ask, 's-1');
      },
    }),
  );
  const client = await connected(server.url, { probeTimeoutMs: 100 });
  expect(client.revision).toBe(LEGACY);
  expect(client.negotiated.doubtful).toBeUndefined();
});

// covers: 2025-06-18/lifecycle/client-respects-the-version
test('a server that has accepted the handshake gets no request of another revision', async () => {
  let probe: Ask | undefined;
  const server = await serveRaw(
    legacy({
      'server/discover': ask => {
        probe = ask;
      },
      'tools/list': tools,
    }),
  );
  const client = await connected(server.url, { probeTimeoutMs: 100 });
  await probe!.gone;
  expect(await client.tools()).toEqual([]);
  expect(client.revision).toBe(LEGACY);
  expect(client.negotiated.doubtful).toBe(true);
  expect(server.asks.map(ask => ask.method)).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/list',
  ]);
});
