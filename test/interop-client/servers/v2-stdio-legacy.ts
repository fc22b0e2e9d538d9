import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createShelfV2 } from './v2.js';

await createShelfV2().connect(new StdioServerTransport());
