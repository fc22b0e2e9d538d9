/**
 * A node that does no more than a fan-out must do: each request gets an event stream, and each message of a channel of Redis
 * is written to all streams. It knows no filters, no limits, no merging of bursts and no heartbeats.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@redis/client';
import { answerQuestions } from './node-of-streams.js';

const channel = 'changes';
const event = (method: string, params: object) =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
const acknowledged = event('notifications/subscriptions/acknowledged', { _meta });
const changed = event('notifications/tools/list_changed', { _meta });

const streams = new Set<ServerResponse>();
const [publisher, subscriber] = [1, 2].map(() => createClient({ url: process.argv[2]! })) as [
  ReturnType<typeof createClient>,
  ReturnType<typeof createClient>,
];
await Promise.all([publisher.connect(), subscriber.connect()]);
await subscriber.subscribe(channel, text => {
  for (const stream of streams) stream.write(text);
});

const http = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(acknowledged);
  streams.add(response);
  response.on('close', () => streams.delete(response));
});
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  answerQuestions(`http://127.0.0.1:${port}/mcp`, () => void publisher.publish(channel, changed));
});
