import { describe } from 'vitest';
import { describeShelf, type Facts } from './scenario.js';
import { startHttp } from './servers/child.js';
import { httpPeer, stdioPeer } from './servers/peer.js';

const HANDSHAKE = ['initialize', 'notifications/initialized'];

describe('a server of fastmcp', () => {
  const facts: Facts = {
    name: 'shelf-fastmcp',
    revision: '2025-11-25',
    opening: ['server/discover', ...HANDSHAKE],
    reopening: HANDSHAKE,
    closing: [],
    unknownTool: 'error',
    lacks: { pages: 'its lists are whole', 'log levels': 'it sends all messages' },
  };
  const early = 'it asks before it has read who the client is, and then only if they change';
  describeShelf(
    'over Streamable HTTP',
    { ...facts, closing: ['DELETE'], lacks: { ...facts.lacks, 'roots at first': early } },
    async () => httpPeer(await startHttp('fastmcp-http.ts')),
  );
  describeShelf(
    'over HTTP+SSE',
    {
      ...facts,
      opening: ['server/discover', 'initialize', 'GET', ...HANDSHAKE],
      reopening: ['GET', ...HANDSHAKE],
    },
    async () => httpPeer(await startHttp('fastmcp-http.ts'), '/sse'),
  );
  describeShelf('over stdio', facts, async () => stdioPeer('fastmcp-stdio.ts'));
});
