import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectOptions, McpError, UsageError } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

const MODERN = '2026-07-28';
const ALL = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

function createServer(): Server {
  const server = new Server({ name: 'narrow', version: '1.0.0' });
  server.tool('greet', {}, () => 'Hello');
  return server;
}

async function open(revisions: string[] | undefined, options: ConnectOptions = {}) {
  const { url } = await serve(createServer(), { revisions });
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

describe('a server that serves some revisions', () => {
  it('names them in its discovery', async () => {
    const { url } = await serve(createServer(), { revisions: ['2025-11-25', MODERN] });
    const { result } = await new ModernClient(url).request('server/discover');
    expect(result?.supportedVersions).toEqual([MODERN, '2025-11-25']);
  });

  it.each([
    [[MODERN], MODERN],
    [['2025-06-18'], '2025-06-18'],
    [['2025-11-25', '2025-03-26'], '2025-11-25'],
    [ALL, MODERN],
  ])('is found at the newest of %j', async (revisions, expected) => {
    const client = await open(revisions);
    expect(client.revision).toBe(expected);
    expect((await client.callTool('greet')).content).toMatchObject([{ text: 'Hello' }]);
  });

  it('without handshakes refuses one, and names the revisions to use instead', async () => {
    const { url } = await serve(createServer(), { revisions: [MODERN] });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        message: expect.stringContaining('2025-11-25 is not served here; use one of 2026-07-28'),
        data: { supported: [MODERN], requested: '2025-11-25' },
      },
    });
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(405);
  });

  it('with handshakes only refuses an envelope, and names the revisions to use instead', async () => {
    const { url } = await serve(createServer(), { revisions: ['2025-06-18'] });
    const { error } = await new ModernClient(url).request('tools/list');
    expect(error).toMatchObject({ code: -32022, data: { supported: ['2025-06-18'], requested: MODERN } });
  });

  it('answers a handshake for another revision with its newest one', async () => {
    const { url } = await serve(createServer(), { revisions: [MODERN, '2025-06-18', '2025-03-26'] });
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    expect(client.initialized.text).toContain('"protocolVersion":"2025-06-18"');
  });

  it('refuses revisions that there are not, and an empty list', async () => {
    const server = createServer();
    await expect(listen(server, { port: 0, revisions: ['2025-13-01'] })).rejects.toThrow(
      'there is no revision 2025-13-01; known are 2026-07-28',
    );
    expect(() => serveStdio(server, { revisions: [] })).toThrow(
      'revisions must be a list with at least one of',
    );
  });
});

describe('a client that accepts some revisions', () => {
  it.each([
    [['2025-11-25', '2025-06-18'], '2025-11-25'],
    [[MODERN, '2025-06-18'], MODERN],
    [['2024-11-05'], '2024-11-05'],
  ])('settles on the newest of %j', async (revisions, expected) => {
    const overHttp = await open(undefined, { revisions });
    expect(overHttp.revision).toBe(expected);
    const inMemory = await connect(createServer(), { revisions });
    onTestFinished(() => inMemory.close());
    expect(inMemory.revision).toBe(expected);
  });

  it('finds the one that both sides have', async () => {
    const client = await open(['2025-11-25', '2025-06-18'], { revisions: [MODERN, '2025-06-18'] });
    expect(client.revision).toBe('2025-06-18');
  });

  it.each([
    [[MODERN], ['2025-06-18']],
    [['2025-06-18'], [MODERN]],
    [['2025-11-25'], ['2025-06-18', '2025-03-26']],
  ])('of which the server has none fails: it has %j, we accept %j', async (served, revisions) => {
    await expect(open(served, { revisions })).rejects.toThrow(/revision/);
    await expect(open(served, { revisions })).rejects.not.toBeInstanceOf(McpError);
  });

  it('are not given together with a single one', async () => {
    const both = open(undefined, { revision: MODERN, revisions: [MODERN, '2025-06-18'] });
    await expect(both).rejects.toBeInstanceOf(UsageError);
    await expect(both).rejects.toThrow('use either revision or revisions');
  });
});
