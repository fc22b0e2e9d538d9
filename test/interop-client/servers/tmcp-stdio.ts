import { StdioTransport } from '@tmcp/transport-stdio';
import { createShelfTmcp } from './tmcp.js';

new StdioTransport(createShelfTmcp()).listen();
