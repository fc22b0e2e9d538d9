import { describe, expect, test } from 'vitest';
import { McpError } from '../../protocol/errors.js';
import { Server } from '../server.js';
import { fetchHandler } from './fetch.js';
import type { HandlerOptions } from './handler.js';

const URL = 'http://localhost/mcp';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function open(options: HandlerOptions = {}) {
  const server = new Server({ name: 'greeter', version: '1.0.0' });
  server.tool('whoami', {}, (_args, ctx) => `${ctx.caller?.principal} ${ctx.revision}`);
  return fetchHandler(server, options);
}

function request(method: string, headers: Record<string, string>, message?: object): Request {
  return new Request(URL, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(message && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }),
  });
}

const initialize = {
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'client', version: '1.0.0' },
  },
};

describe('the endpoint', () => {
  test('takes a request with an envelope as modern, and one without as part of a session', async () => {
    const handler = open();
    const mirrored = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const modern = await handler(
      request('POST', mirrored, { method: 'tools/list', params: { _meta: META } }),
    );
    expect(await modern.json()).toMatchObject({ result: { resultType: 'complete' } });
    const legacy = await handler(request('POST', {}, { method: 'tools/list' }));
    expect(legacy.status).toBe(400);
    expect(await legacy.json()).toMatchObject({
      error: { message: expect.stringContaining('Mcp-Session-Id') },
    });
  });

  test.for([
    ['a version header of a modern revision', { 'mcp-protocol-version': '2026-07-28' }, 'tools/list'],
    ['a method that only modern revisions have', {}, 'server/discover'],
    ['another one', {}, 'subscriptions/listen'],
  ] as const)('tells a request with %s that its envelope is missing', async ([, headers, method]) => {
    const response = await open()(
      request('POST', { ...headers, 'mcp-method': method }, { method, params: {} }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('_meta') },
    });
  });

  test('takes initialize as the beginning of a session, whatever the headers say', async () => {
    const response = await open()(request('POST', { 'mcp-protocol-version': '2026-07-28' }, initialize));
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).not.toBeNull();
  });

  test.for(['POST', 'GET', 'DELETE', 'OPTIONS', 'PUT'])(
    'refuses a %s of a foreign origin with 403 and an error without an id',
    async method => {
      const message = method === 'POST' ? initialize : undefined;
      const response = await open()(request(method, { origin: 'https://evil.example.com' }, message));
      expect(response.status).toBe(403);
      expect(response.headers.get('mcp-session-id')).toBeNull();
      const body = await response.json();
      expect(body).toMatchObject({
        jsonrpc: '2.0',
        error: { message: expect.stringContaining('evil.example.com') },
      });
      expect(body).not.toHaveProperty('id');
    },
  );
});

describe('authenticate', () => {
  test('sees the request and says who calls', async () => {
    const seen: unknown[] = [];
    const handler = open({
      authenticate(asked) {
        seen.push(asked.method, asked.path, asked.header('authorization'));
        return { principal: 'alice' };
      },
    });
    const mirrored = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    };
    const call = { method: 'tools/call', params: { name: 'whoami', _meta: META } };
    const response = await handler(request('POST', { ...mirrored, authorization: 'Bearer x' }, call));
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'alice 2026-07-28' }] } });
    expect(seen).toEqual(['POST', '/mcp', 'Bearer x']);
  });

  test('refuses with 401 by throwing, at once or later, and keeps its reasons to itself', async () => {
    for (const authenticate of [
      () => {
        throw new Error('the database says: no such token');
      },
      async () => {
        throw new Error('the database says: no such token');
      },
    ]) {
      const response = await open({ authenticate })(request('POST', {}, initialize));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await response.text()).not.toContain('database');
    }
  });

  test('may say why by throwing an error that is meant for the client', async () => {
    const authenticate = () => {
      throw new McpError(-32001, 'the token has expired');
    };
    const response = await open({ authenticate })(request('POST', {}, initialize));
    expect(await response.json()).toMatchObject({ error: { message: 'the token has expired' } });
  });

  test('runs before the body is read', async () => {
    const authenticate = () => {
      throw new Error('nobody');
    };
    let wasRead = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          wasRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'application/json' };
    const response = await open({ authenticate })(
      new Request(URL, { method: 'POST', headers, body, duplex: 'half' }),
    );
    expect(response.status).toBe(401);
    expect(wasRead).toBe(false);
  });
});
