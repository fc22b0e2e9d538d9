import { describe, expect, test } from 'vitest';
import { initializeRequest, LegacyClient } from './legacy-client.js';
import { postJson, readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function open(revisions: string[]) {
  const { url } = await serve(
    serverWith(server => server.tool('greet', {}, () => 'Hello')),
    { revisions },
  );
  return { url, client: await LegacyClient.open(url, { revision: revisions[0]! }) };
}

describe('a session of a server that serves some revisions', () => {
  // covers: 2025-06-18/transports/http-unknown-version-header-gets-400
  test.for(['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '1999-01-01'])(
    'refuses every request whose header names %s, and says what is served',
    async version => {
      const { client } = await open(['2025-06-18']);
      const header = { 'mcp-protocol-version': version };
      const answers = [
        await client.get(header),
        await fetch(client.url, { method: 'DELETE', headers: { ...client.headers, ...header } }),
      ];
      // With a revision of requests that stand alone the message itself is another one.
      if (version !== '2026-07-28') answers.push(await client.post(PING, header));
      for (const answer of answers) {
        const { status, error } = await readAnswer(answer);
        expect([status, error?.code]).toEqual([400, -32022]);
        expect(error?.data).toEqual({ supported: ['2025-06-18'], requested: version });
      }
      expect((await client.request('ping')).status).toBe(200);
    },
  );

  test('accepts all of them', async () => {
    const { client } = await open(['2025-06-18', '2025-03-26']);
    for (const version of ['2025-06-18', '2025-03-26']) {
      expect((await client.post(PING, { 'mcp-protocol-version': version })).status).toBe(200);
    }
  });

  test('begins also if the header of the handshake names another revision', async () => {
    const { url } = await open(['2025-06-18']);
    const header = { 'mcp-protocol-version': '2025-11-25' };
    const { status, result } = await readAnswer(
      await postJson(url, initializeRequest({ revision: '2025-11-25' }), header),
    );
    expect([status, result.protocolVersion]).toEqual([200, '2025-06-18']);
  });
});
