import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export function createBistro(): McpServer {
  const server = new McpServer({ name: 'bistro', version: '1.0.0' });
  server.registerTool('greet', { inputSchema: { name: z.string() } }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello ${name}` }],
  }));
  return server;
}
