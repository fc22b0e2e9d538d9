/** A node with listen streams, whose cluster is in the Redis of the first argument. */
import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { redisCluster } from 'tenon/redis';
import { serverInfo } from '../scenarios.js';
import { answerQuestions } from './node-of-streams.js';

const server = new Server(serverInfo);
server.tool('soup', {}, () => 'Soup');
server.resource('menu://today', {}, () => 'Soup');
const cluster = redisCluster({ url: process.argv[2]! });
const { url } = await listen(server, { port: 0, cluster });

answerQuestions(url, what => {
  if (what === 'list') server.listChanged('tools');
  else server.resourceChanged('menu://today');
});
