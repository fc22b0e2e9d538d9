/**
 * The official SDK as its README wires it on `node:http`: the guards in front, `createMcpHandler` for 2026-07-28,
 * and a transport of its node package per session, with its default options, for 2025-11-25.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport as SessionTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { announce } from './announce.js';
import { buildOfficialServer } from './official-server.js';

const hostIsGood = localhostHostValidation();
const originIsGood = localhostOriginValidation();
const modern = toNodeHandler(createMcpHandler(buildOfficialServer, { legacy: 'reject' }));
const sessions = new Map<string, SessionTransport>();

const http = createServer((request, response) => {
  if (!hostIsGood(request, response) || !originIsGood(request, response)) return;
  void answer(request, response);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers['mcp-protocol-version'] === '2026-07-28')
    return modern(request as IncomingMessage & { method: string; url: string }, response);
  const sessionId = request.headers['mcp-session-id'];
  const transport = sessions.get(String(sessionId)) ?? (await openSession());
  await transport.handleRequest(request, response);
}

async function openSession(): Promise<SessionTransport> {
  const transport: SessionTransport = new SessionTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: id => {
      sessions.set(id, transport);
    },
  });
  await buildOfficialServer().connect(transport);
  return transport;
}

http.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
