import { McpServer } from '@modelcontextprotocol/server';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { toolCount } from './announce.js';

const tools = makeTools(toolCount);

/** Called per request on the modern era and per session on the legacy one, as the SDK prescribes. */
export function buildOfficialServer(): McpServer {
  const server = new McpServer(serverInfo);
  for (const { name, description, input, run } of tools) {
    server.registerTool(name, { description, inputSchema: input }, async args => ({
      content: [{ type: 'text', text: run(args) }],
    }));
  }
  return server;
}
