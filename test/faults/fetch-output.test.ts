import { once } from 'node:events';
import { type IncomingMessage, type Server as NodeServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { modern, textOf } from './messages.js';
import { exchange, type RawRequest } from './raw-http.js';
import { echoing } from './serving.js';

const MiB = 1024 * 1024;
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };
const echo = modern('tools/call', { name: 'echo', arguments: { value: 'x'.repeat(MiB / 4) } });

test.for(['plain', 'streamed'])(
  'a client that does not read its %s answer gives way to others',
  async kind => {
    const port = await serveFetch(4 * MiB);
    const unread = await responseTo(port, big(32 * MiB, kind === 'streamed'));
    expect(textOf(await exchange(port, echo))).toHaveLength(MiB / 4 + 2);
    expect(await lengthOf(unread)).toBeLessThan(32 * MiB);
  },
);

test.for(['plain', 'streamed'])('a client that reads gets a %s answer larger than the memory', async kind => {
  const port = await serveFetch(4 * MiB);
  for (let n = 0; n < 3; n++) {
    const answer = await responseTo(port, big(12 * MiB, kind === 'streamed'));
    expect(await lengthOf(answer)).toBeGreaterThan(12 * MiB);
  }
  expect(textOf(await exchange(port, echo))).toHaveLength(MiB / 4 + 2);
});

/** A server behind the fetch API, with tools that echo, and that return a large text. */
async function serveFetch(maxHeldBytes: number): Promise<number> {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  server.tool(
    'big',
    { input: { type: 'object', properties: { size: {}, streamed: {} } } },
    ({ size, streamed }, ctx) => {
      if (streamed) ctx.log.error('a large answer follows');
      return 'x'.repeat(size as number);
    },
  );
  const handler = fetchHandler(server, { keys: freshKeys(), maxHeldBytes });
  const http = serve({ fetch: handler, port: 0, hostname: '127.0.0.1' }) as NodeServer;
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handler.close(0);
  });
  await once(http, 'listening');
  return (http.address() as AddressInfo).port;
}

function big(size: number, streamed: boolean): RawRequest {
  return modern('tools/call', { name: 'big', arguments: { size, streamed } }, { meta: LOGS });
}

/** The head of a response, whose body is not read yet. */
async function responseTo(port: number, { path = '/mcp', headers, body }: RawRequest) {
  const sent = request({ port, path, method: 'POST', headers: headers as Record<string, string> });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** How many bytes of a body arrive before it ends, or breaks off. */
async function lengthOf(response: IncomingMessage): Promise<number> {
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  await once(response, 'close').catch(() => {});
  return length;
}
