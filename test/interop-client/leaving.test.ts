import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { nodeArgs, ROOT } from './servers/child.js';
import { httpPeer, stdioPeer } from './servers/peer.js';
import { serveTmcp } from './servers/tmcp-http.js';
import { serveV1, serveV1OverSse } from './servers/v1-http.js';
import { serveV2, serveV2Sessions } from './servers/v2-http.js';

test('a client that is closed leaves no socket, timer or process behind, so that its process can end', async () => {
  // tmcp prints every error that it answers with.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const peers = await Promise.all([
    serveV1().then(serving => httpPeer(serving)),
    serveV1OverSse().then(serving => httpPeer(serving, '/sse')),
    serveV2().then(serving => httpPeer(serving)),
    serveV2Sessions().then(serving => httpPeer(serving)),
    serveTmcp().then(serving => httpPeer(serving)),
    stdioPeer('v1-stdio.ts'),
    stdioPeer('v2-stdio.ts'),
  ]);
  const targets = JSON.stringify(peers.map(({ target }) => target));
  const visitor = spawn(process.execPath, nodeArgs('visitor.ts', targets), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(visitor.stdout), once(visitor, 'exit')]);
  expect(code).toBe(0);
  const [old, modern] = ['2025-11-25', '2026-07-28'];
  const visits = output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(visits).toEqual(
    [old, old, modern, old, modern, old, modern].map(revision => ({ revision, left: [] })),
  );
  await Promise.all(peers.map(({ close }) => close()));
});
