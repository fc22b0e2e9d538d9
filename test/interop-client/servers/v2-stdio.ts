import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createShelfV2 } from './v2.js';

serveStdio(() => createShelfV2());
