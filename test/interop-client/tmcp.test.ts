import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { describeShelf, type Facts } from './scenario.js';
import { httpPeer, stdioPeer } from './servers/peer.js';
import { serveTmcp } from './servers/tmcp-http.js';

describe('a server of tmcp', () => {
  // It prints every error that it answers with.
  beforeAll(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  const facts: Facts = {
    name: 'shelf-tmcp',
    revision: '2026-07-28',
    opening: ['server/discover'],
    reopening: [],
    closing: [],
    lacks: { roots: 'it does not ask for roots in the new era' },
  };
  describeShelf('over HTTP', facts, async () => httpPeer(await serveTmcp()));
  describeShelf(
    'over stdio',
    {
      ...facts,
      closing: ['notifications/cancelled'],
      lacks: { ...facts.lacks, cancellation: 'it does not tell its handlers over stdio' },
    },
    async () => stdioPeer('tmcp-stdio.ts'),
  );

  test.each([
    ['over HTTP', async () => httpPeer(await serveTmcp())],
    ['over stdio', async () => stdioPeer('tmcp-stdio.ts')],
  ])('is used in the old era, if that is asked for, %s', async (_where, open) => {
    const peer = await open();
    const roots = [{ uri: 'file:///home/reader' }];
    const onElicit = () => ({ action: 'accept' as const, content: { title: 'Dune', copies: 2 } });
    const client = await connect(peer.target, { revision: '2025-06-18', onElicit, roots });
    expect(client.revision).toBe('2025-06-18');
    expect(await client.callTool('order')).toMatchObject({ content: [{ text: '2 of Dune' }] });
    expect(await client.callTool('folders')).toMatchObject({ content: [{ text: 'file:///home/reader' }] });
    await client.close();
    await peer.close();
  });
});
