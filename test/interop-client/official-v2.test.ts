import { describe, expect, test } from 'vitest';
import type { ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { describeShelf, type Facts } from './scenario.js';
import { httpPeer, stdioPeer } from './servers/peer.js';
import { serveV2, serveV2Sessions, serveV2Strict } from './servers/v2-http.js';

const HANDSHAKE = ['initialize', 'notifications/initialized'];

describe('a server of the official SDK v2', () => {
  const name = 'shelf-v2';
  const modern: Facts = {
    name,
    revision: '2026-07-28',
    opening: ['server/discover'],
    reopening: [],
    closing: [],
    unknownTool: 'error',
  };
  const legacy: Facts = {
    ...modern,
    revision: '2025-11-25',
    opening: ['server/discover', ...HANDSHAKE],
    reopening: HANDSHAKE,
  };
  describeShelf('over HTTP, for both eras', modern, async () => httpPeer(await serveV2()));
  describeShelf('over HTTP, for the new era only', modern, async () => httpPeer(await serveV2Strict()));
  describeShelf('over HTTP, with sessions', { ...legacy, closing: ['DELETE'] }, async () =>
    httpPeer(await serveV2Sessions()),
  );
  const listening = ['notifications/cancelled'];
  describeShelf('over stdio', { ...modern, closing: listening }, async () => stdioPeer('v2-stdio.ts'));
  describeShelf('over stdio, for the old era only', legacy, async () => stdioPeer('v2-stdio-legacy.ts'));

  test('is used in the old era without a session, if that is asked for', async () => {
    const peer = await httpPeer(await serveV2());
    const client = await connect(peer.target, { revision: '2025-06-18', onLog: () => {} });
    expect(client.revision).toBe('2025-06-18');
    expect(await client.callTool('echo', { text: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] });

    // There is no stream to hear of changes on, which is no reason to report some.
    const heard: ServerChange[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const change of client.changes({ tools: true }, { signal: stop.signal })) heard.push(change);
    })();
    for (let times = 0; times < 5; times++) await client.ping();
    stop.abort();
    await listening;
    expect(heard).toEqual([]);
    expect(peer.passed.filter(({ what }) => what === 'GET').map(({ status }) => status)).toEqual([405]);
    await client.close();
    expect(peer.sent()).not.toContain('DELETE');
    await peer.close();
  });
});
