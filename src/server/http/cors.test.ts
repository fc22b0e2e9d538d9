import { describe, expect, test } from 'vitest';
import { Server } from '../server.js';
import { fetchHandler } from './fetch.js';
import type { HandlerOptions } from './handler.js';

const URL = 'https://mcp.example.com/mcp';
const APP = 'https://app.example.com';

function open(options: HandlerOptions = { allowedOrigins: [APP] }) {
  const server = new Server({ name: 'greeter', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  server.tool('log', {}, (_args, ctx) => ctx.log.info('hello'));
  return fetchHandler(server, options);
}

function preflight(origin: string, headers: Record<string, string> = {}): Request {
  return new Request(URL, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', ...headers },
  });
}

function initialize(origin?: string): Request {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'page', version: '1.0.0' },
  };
  return new Request(URL, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(origin !== undefined && { origin }),
    },
  });
}

describe('a preflight', () => {
  test('from an allowed origin is answered with the methods and the headers it asks for', async () => {
    const asked =
      'content-type, mcp-protocol-version, mcp-session-id, last-event-id, authorization, mcp-param-region';
    const response = await open()(preflight(APP, { 'access-control-request-headers': asked }));
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    expect(response.headers.get('access-control-allow-headers')).toBe(asked);
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(response.headers.get('access-control-allow-methods')).toContain(method);
    }
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    expect(response.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  test('from a foreign origin is refused and gets no permission', async () => {
    const foreign = [
      'https://evil.example.com',
      'https://app.example.com.evil.com',
      'http://app.example.com',
      'null',
    ];
    for (const origin of foreign) {
      const response = await open()(preflight(origin));
      expect(response.status, origin).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(response.headers.get('access-control-allow-headers')).toBeNull();
    }
  });

  test('is refused for every origin where none was allowed', async () => {
    const response = await open({})(preflight(APP));
    expect(response.status).toBe(403);
  });

  test('needs no authentication, since browsers send none', async () => {
    const handler = open({
      allowedOrigins: [APP],
      authenticate() {
        throw new Error('nobody');
      },
    });
    expect((await handler(preflight(APP))).status).toBe(204);
  });

  test('never allows credentials', async () => {
    const response = await open({ allowedOrigins: ['*'] })(preflight(APP));
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a response', () => {
  test('to an allowed origin can be read by its page, with the session id', async () => {
    const response = await open()(initialize(APP));
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    expect(response.headers.get('vary')?.toLowerCase()).toContain('origin');
    const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase();
    expect(exposed).toContain('mcp-session-id');
    expect(exposed).toContain('www-authenticate');
  });

  test('that is a stream can be read too', async () => {
    const handler = open();
    const session = (await handler(initialize(APP))).headers.get('mcp-session-id')!;
    const response = await handler(
      new Request(URL, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'log' } }),
        headers: {
          origin: APP,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': session,
        },
      }),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    await response.text();
  });

  test('that is a refusal can be read too, so that a page learns how to authenticate', async () => {
    const handler = open({
      allowedOrigins: [APP],
      authenticate() {
        throw new Error('nobody');
      },
    });
    const response = await handler(initialize(APP));
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
  });

  test('to a foreign origin is a refusal without permission to read it', async () => {
    const response = await open()(initialize('https://evil.example.com'));
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.json()).not.toHaveProperty('id');
  });

  test('to a client without an origin has nothing of all this', async () => {
    const response = await open()(initialize());
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('names the origin that asked, not a star, where all are allowed', async () => {
    const response = await open({ allowedOrigins: ['*'] })(initialize(APP));
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
  });
});
