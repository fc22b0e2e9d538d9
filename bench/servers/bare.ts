/** The floor: `node:http`, one parse and one stringify, without any check of the protocol. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { toolCount } from './announce.js';
import { respond, serveBodies } from './node-http.js';

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

serveBodies((body, response) => {
  const message = JSON.parse(body) as Message;
  if (message.id === undefined) {
    response.writeHead(202, { 'content-length': 0 }).end();
    return;
  }
  if (message.method === 'initialize') response.setHeader('mcp-session-id', randomUUID());
  respond(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }));
});

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
