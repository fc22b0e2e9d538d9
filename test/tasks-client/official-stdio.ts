import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createOfficialServer } from './official-server.js';

await createOfficialServer().connect(new StdioServerTransport());
