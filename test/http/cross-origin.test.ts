import { describe, expect, test } from 'vitest';
import { initializeRequest } from './legacy-client.js';
import { envelope, mirror } from './modern-client.js';
import { postJson } from './send.js';
import { serve, serverWith } from './serve.js';

const PAGE = 'http://localhost:5173';
const APP = 'https://app.example.com';
const EVIL = 'https://evil.example.com';

function greeter() {
  return serverWith(server => server.tool('greet', {}, () => 'hello'));
}

function preflight(url: string, origin: string): Promise<Response> {
  return fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,mcp-session-id',
    },
  });
}

describe('a page in a browser', () => {
  test('may call a server on this machine from this machine', async () => {
    const { url } = await serve(greeter());
    const permission = await preflight(url, PAGE);
    expect(permission.status).toBe(204);
    expect(permission.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(permission.headers.get('access-control-allow-headers')).toBe('content-type,mcp-session-id');
    const response = await postJson(url, initializeRequest(), { origin: PAGE });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(response.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
  });

  // covers: 2025-06-18/transports/http-origin-is-validated, 2024-11-05/transports/sse-origin-is-validated
  // covers: 2025-11-25/transports/invalid-origin-is-403, 2026-07-28/streamable-http/invalid-origin-is-403
  // covers: 2026-07-28/streamable-http/origin-is-validated
  test('of another origin is refused with 403 on every transport', async () => {
    const { url } = await serve(greeter(), { sse: true });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } };
    const sse = new URL('/sse', url).href;
    for (const response of [
      await preflight(url, EVIL),
      await postJson(url, initializeRequest(), { origin: EVIL }),
      await postJson(url, message, { ...mirror('tools/list', {}), origin: EVIL }),
      await fetch(url, { headers: { accept: 'text/event-stream', origin: EVIL } }),
      await fetch(url, { method: 'DELETE', headers: { origin: EVIL } }),
      await fetch(sse, { headers: { accept: 'text/event-stream', origin: EVIL } }),
      await postJson(new URL('/messages?sessionId=x', url).href, message, { origin: EVIL }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('of an origin that was allowed may call', async () => {
    const { url } = await serve(greeter(), { allowedOrigins: [APP] });
    expect((await preflight(url, APP)).status).toBe(204);
    expect((await postJson(url, initializeRequest(), { origin: APP })).status).toBe(200);
    expect((await preflight(url, EVIL)).status).toBe(403);
  });
});
