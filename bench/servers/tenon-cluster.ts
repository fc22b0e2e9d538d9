/** The server of `tenon.ts` as a node of a cluster, which is in the Redis of the second argument. */
import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { redisCluster } from 'tenon/redis';
import { serverInfo } from '../scenarios.js';
import { makeTools } from '../tools.js';
import { announce, toolCount } from './announce.js';

const server = new Server(serverInfo);
for (const { name, description, input, run } of makeTools(toolCount)) {
  server.tool(name, { description, input }, async args => run(args));
}

const cluster = redisCluster({ url: process.argv[3]! });
announce((await listen(server, { port: 0, host: '127.0.0.1', path: '/mcp', cluster })).url);
