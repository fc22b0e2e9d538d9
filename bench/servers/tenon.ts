import { Server } from '../../dist/index.js';
import { listen } from '../../dist/node/index.js';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { announce, toolCount } from './announce.js';

const server = new Server(serverInfo);
for (const { name, description, input, run } of makeTools(toolCount)) {
  server.tool(name, { description, input }, async args => run(args));
}

const { url } = await listen(server, { port: 0, host: '127.0.0.1', path: '/mcp' });
announce(String(url));
