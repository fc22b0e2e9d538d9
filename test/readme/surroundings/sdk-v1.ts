import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { bistroUrl } from './bistro.js';

export { createBistro } from './sdk-v1-bistro.js';
export { z };

export const url = bistroUrl;
export const server = new McpServer(
  { name: 'bistro', version: '1.0.0' },
  { capabilities: { logging: {}, resources: { subscribe: true } } },
);

// Notifications need a connection, and a connected server accepts no new kinds.
server.registerTool('first', {}, () => ({ content: [] }));
server.registerResource('first', 'first://', {}, () => ({ contents: [] }));
server.registerPrompt('first', { argsSchema: { a: completable(z.string(), () => []) } }, () => ({
  messages: [],
}));
const [, there] = InMemoryTransport.createLinkedPair();
await server.connect(there);
