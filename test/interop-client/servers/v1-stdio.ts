import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createShelfV1 } from './v1.js';

await createShelfV1().connect(new StdioServerTransport());
