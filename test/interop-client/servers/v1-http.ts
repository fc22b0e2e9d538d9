import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { readBody, type Serving, serveHttp } from './serving.js';
import { createShelfV1 } from './v1.js';

/** Streamable HTTP with sessions, at `/mcp`, wired as the documentation of the SDK does it. */
export async function serveV1(
  createServer: () => McpServer = createShelfV1,
): Promise<Serving & { forgetSessions(): void }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const serving = await serveHttp(async (request, response) => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    const body = request.method === 'POST' ? JSON.parse(await readBody(request)) : undefined;
    const session = id === undefined ? undefined : sessions.get(id);
    if (session) return session.handleRequest(request, response, body);
    if (id !== undefined || !isInitializeRequest(body)) return refuse(response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: sessionId => void sessions.set(sessionId, transport),
      onsessionclosed: sessionId => void sessions.delete(sessionId),
    });
    await createServer().connect(transport);
    await transport.handleRequest(request, response, body);
  });
  return { ...serving, forgetSessions: () => sessions.clear() };
}

/** The transport of the first revision: a stream at `/sse`, messages to `/messages`. */
export function serveV1OverSse(): Promise<Serving> {
  const sessions = new Map<string, SSEServerTransport>();
  return serveHttp(async (request, response) => {
    const url = new URL(request.url as string, 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/sse') return open(response);
    const session = sessions.get(url.searchParams.get('sessionId') ?? '');
    if (request.method !== 'POST' || !session) return void response.writeHead(404).end('Cannot POST /sse');
    await session.handlePostMessage(request, response);
  });

  async function open(response: ServerResponse): Promise<void> {
    const transport = new SSEServerTransport('/messages', response);
    sessions.set(transport.sessionId, transport);
    response.on('close', () => sessions.delete(transport.sessionId));
    await createShelfV1().connect(transport);
  }
}

function refuse(response: ServerResponse<IncomingMessage>): void {
  response.writeHead(400, { 'content-type': 'application/json' });
  const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
