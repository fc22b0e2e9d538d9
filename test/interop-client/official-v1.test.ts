import { describe, expect, test } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { describeShelf } from './scenario.js';
import { httpPeer, type Peer, stdioPeer } from './servers/peer.js';
import { serveV1, serveV1OverSse } from './servers/v1-http.js';

const HANDSHAKE = ['initialize', 'notifications/initialized'];

describe('a server of the official SDK v1', () => {
  const facts = { name: 'shelf-v1', revision: '2025-11-25' };
  describeShelf(
    'over Streamable HTTP',
    {
      ...facts,
      opening: ['server/discover', ...HANDSHAKE],
      reopening: HANDSHAKE,
      closing: ['DELETE'],
    },
    async () => httpPeer(await serveV1()),
  );
  describeShelf(
    'over HTTP+SSE',
    {
      ...facts,
      opening: ['server/discover', 'initialize', 'GET', ...HANDSHAKE],
      reopening: ['GET', ...HANDSHAKE],
      closing: [],
    },
    async () => httpPeer(await serveV1OverSse(), '/sse'),
  );
  describeShelf(
    'over stdio',
    { ...facts, opening: ['server/discover', ...HANDSHAKE], reopening: HANDSHAKE, closing: [] },
    async () => stdioPeer('v1-stdio.ts'),
  );

  test('gets a new session if it has forgotten the old one, which it says with a 400', async () => {
    const server = await serveV1();
    const peer = await httpPeer(server);
    const onElicit = () => ({ action: 'accept' as const, content: { title: 'Emma' } });
    const client = await connect(peer.target, { onElicit });
    await client.callTool('echo', { text: 'hello' });
    server.forgetSessions();
    const before = peer.passed.length;
    expect(await client.callTool('order')).toMatchObject({ content: [{ text: '1 of Emma' }] });
    const posts = peer.passed.slice(before).filter(({ what }) => what !== 'GET');
    expect(posts.map(({ what }) => what)).toEqual(['tools/call', ...HANDSHAKE, 'tools/call', 'answer']);
    expect(posts[0]?.status).toBe(400);
    await client.close();
    await peer.close();
  });

  test.each<[string, () => Promise<Peer>]>([
    ['Streamable HTTP', async () => httpPeer(await serveV1())],
    ['HTTP+SSE', async () => httpPeer(await serveV1OverSse(), '/sse')],
    ['stdio', async () => stdioPeer('v1-stdio.ts')],
  ])('is found out over %s by who takes it for a modern one', async (transport, open) => {
    const peer = await open();
    const negotiated = { revision: '2026-07-28' };
    const onElicit = () => ({ action: 'accept' as const, content: { title: 'Emma' } });
    const client = await connect(peer.target, { negotiated, onElicit, onWarning: () => {} });
    // Over stdio it acts before anybody was introduced, and then asks what it must not ask.
    const ordered = await client.callTool('order');
    if (transport === 'stdio') expect(ordered.isError).toBe(true);
    else expect(ordered).toMatchObject({ content: [{ text: '1 of Emma' }] });
    expect(client.revision).toBe('2025-11-25');
    expect(await client.callTool('order')).toMatchObject({ content: [{ text: '1 of Emma' }] });
    await client.close();
    await peer.close();
  });
});
