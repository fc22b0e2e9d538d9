import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { type Listener, type Serving, serveHttp } from './serving.js';
import { createShelfV2 } from './v2.js';

/** Both eras, as `createMcpHandler` serves them: a server for each request, without sessions. */
export function serveV2(): Promise<Serving> {
  const handler: McpHttpHandler = createMcpHandler(() => createShelfV2(handler.notify));
  return serveWith(handler);
}

/** The new era only. */
export function serveV2Strict(): Promise<Serving> {
  const handler: McpHttpHandler = createMcpHandler(() => createShelfV2(handler.notify), { legacy: 'reject' });
  return serveWith(handler);
}

async function serveWith(handler: McpHttpHandler): Promise<Serving> {
  const serving = await serveHttp(toNodeHandler(handler) as Listener);
  return {
    ...serving,
    async close() {
      await handler.close();
      await serving.close();
    },
  };
}

/** The old era only, with sessions. */
export function serveV2Sessions(): Promise<Serving> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  return serveHttp(async (request, response) => {
    const session = sessions.get((request.headers['mcp-session-id'] as string | undefined) ?? '');
    if (session) return session.handleRequest(request, response);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, transport),
      onsessionclosed: id => void sessions.delete(id),
    });
    await createShelfV2().connect(transport);
    await transport.handleRequest(request, response);
  });
}
