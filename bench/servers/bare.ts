/** The floor: `node:http`, one parse, one stringify, and nothing that makes it a protocol. */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { announce, toolCount } from './announce.js';

interface Message {
  id?: number;
  method: string;
  params?: { _meta?: object; arguments?: { message: string } };
}

const tools = makeTools(toolCount).map(({ name, description, input }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
}));

const http = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, chunks));
});

function answer(response: ServerResponse, chunks: Buffer[]): void {
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const message = JSON.parse(body.toString()) as Message;
  if (message.id === undefined) {
    response.writeHead(202, { 'content-length': 0 }).end();
    return;
  }
  const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  if (message.method === 'initialize') headers['mcp-session-id'] = randomUUID();
  response.writeHead(200, headers).end(text);
}

function resultOf({ method, params }: Message): object {
  if (method === 'initialize') {
    return { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo };
  }
  if (method === 'server/discover') {
    const supportedVersions = ['2026-07-28', '2025-11-25'];
    return {
      supportedVersions,
      capabilities: { tools: {} },
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    };
  }
  const list = method === 'tools/list';
  const result = list ? { tools } : { content: [{ type: 'text', text: params!.arguments!.message }] };
  if (params?._meta === undefined) return result;
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
  return list
    ? { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private', _meta }
    : { resultType: 'complete', ...result, _meta };
}

http.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
