import { describe, expect, test } from 'vitest';
import { initializeRequest, LegacyClient } from './legacy-client.js';
import { postJson, readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

function greeter() {
  return serverWith(server => server.tool('greet', {}, () => 'hello'));
}

describe('initialize', () => {
  // covers: 2025-06-18/lifecycle/server-answers-with-the-requested-version
  test.for(LEGACY)('answers with the asked revision %s', async revision => {
    const { url } = await serve(greeter());
    const { status, headers, result } = await readAnswer(
      await postJson(url, initializeRequest({ revision })),
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(result.protocolVersion).toBe(revision);
  });

  // covers: 2025-06-18/lifecycle/server-answers-with-another-version
  // covers: 2025-06-18/lifecycle/server-answers-with-its-latest-version
  // covers: 2025-06-18/lifecycle/version-mismatch-is-handled
  test.for(['1999-01-01', '2099-01-01', '2026-07-28', ''])(
    'answers with the newest handshake revision when asked for %j',
    async revision => {
      const { url } = await serve(greeter());
      const { result } = await readAnswer(await postJson(url, initializeRequest({ revision })));
      expect(result.protocolVersion).toBe('2025-11-25');
    },
  );

  // covers: 2025-06-18/lifecycle/server-answers-with-capabilities-and-info
  test('answers with the capabilities and the information of the server', async () => {
    const { url } = await serve(greeter());
    const { result } = await readAnswer(await postJson(url, initializeRequest()));
    expect(result.capabilities).toMatchObject({ tools: { listChanged: true } });
    expect(result.serverInfo).toEqual({ name: 'under-test', version: '1.0.0' });
  });

  // covers: 2025-06-18/transports/http-session-id-is-visible-ascii
  test('assigns a session id of visible ASCII characters', async () => {
    const { url } = await serve(greeter());
    const { headers } = await readAnswer(await postJson(url, initializeRequest()));
    expect(headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]+$/);
  });

  // covers: 2025-06-18/transports/http-session-id-is-unique-and-secure
  // covers: 2025-06-18/security/session-ids-are-not-deterministic
  test('assigns a different session id to each client, even if they say the same', async () => {
    const { url } = await serve(greeter());
    const clients = await Promise.all(Array.from({ length: 20 }, () => LegacyClient.open(url)));
    expect(new Set(clients.map(({ session }) => session)).size).toBe(20);
  });

  test.for(['2025-11-25', '2026-07-28'])(
    'takes no notice of a version header that says %s, since the version is only being negotiated',
    async version => {
      const { url } = await serve(greeter());
      const response = await postJson(url, initializeRequest(), { 'mcp-protocol-version': version });
      expect((await readAnswer(response)).result.protocolVersion).toBe('2025-06-18');
    },
  );

  test('is refused with a version header that no revision has', async () => {
    const { url } = await serve(greeter());
    const response = await postJson(url, initializeRequest(), { 'mcp-protocol-version': '2099-01-01' });
    expect(await readAnswer(response)).toMatchObject({
      status: 400,
      last: { id: 0 },
      error: {
        code: -32022,
        data: { requested: '2099-01-01', supported: expect.arrayContaining(['2025-06-18']) },
      },
    });
    expect(response.headers.has('mcp-session-id')).toBe(false);
  });

  test('gives no session when it fails, and says what is missing', async () => {
    const { url } = await serve(greeter());
    const body = { jsonrpc: '2.0', id: 'a', method: 'initialize', params: { protocolVersion: '2025-06-18' } };
    const { headers, error, last } = await readAnswer(await postJson(url, body));
    expect(last.id).toBe('a');
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('capabilities') });
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  test('is refused inside a session that is already open', async () => {
    const { url } = await serve(greeter());
    const client = await LegacyClient.open(url);
    const { error } = await readAnswer(await client.post(initializeRequest()));
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('already initialized') });
  });

  test('is answered while the client has not yet said that it is initialized, and so is ping', async () => {
    const { url } = await serve(greeter());
    const { headers } = await readAnswer(await postJson(url, initializeRequest()));
    const session = { 'mcp-session-id': headers.get('mcp-session-id')! };
    const { result } = await readAnswer(
      await postJson(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, session),
    );
    expect(result).toEqual({});
  });
});

describe('a request before initialize', () => {
  // covers: 2025-06-18/lifecycle/server-needs-initialization-first
  test('is refused with 400 and its own id', async () => {
    const { url } = await serve(greeter());
    const response = await postJson(url, { jsonrpc: '2.0', id: 7, method: 'tools/list' });
    const { status, last } = await readAnswer(response);
    expect(status).toBe(400);
    expect(last).toMatchObject({ id: 7, error: { message: expect.stringContaining('initialize') } });
  });
});
