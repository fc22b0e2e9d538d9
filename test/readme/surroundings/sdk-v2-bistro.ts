import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export function createBistro(): McpServer {
  const server = new McpServer({ name: 'bistro', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello ${name}` }],
  }));
  return server;
}
