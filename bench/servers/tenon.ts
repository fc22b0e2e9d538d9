import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { announce, toolCount } from './announce.js';

const server = new Server(serverInfo);
for (const { name, description, input, run } of makeTools(toolCount)) {
  server.tool(name, { description, input }, async args => run(args));
}

const { url } = await listen(server, { port: 0, host: '127.0.0.1', path: '/mcp' });
announce(String(url));
