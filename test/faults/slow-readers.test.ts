import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { nodeHandler } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { EventStream, legacy, modern, openSession } from './messages.js';
import { RawConnection, requestBytes } from './raw-http.js';
import { serve } from './serving.js';

const MiB = 1024 * 1024;
/** What the client reads is the limit in these tests. */
const FAST = { server: { maxProgressPerSecond: 100_000, maxLogsPerSecond: 100_000 } };
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };

test.for(['modern', 'legacy'])(
  'thirty thousand progress notifications in one turn do not cost the answer (%s)',
  async era => {
    const { port } = await serve(server => {
      server.tool('count', {}, (_args, ctx) => {
        for (let n = 1; n <= 30_000; n++) ctx.progress(n, { message: 'x'.repeat(200) });
        return 'counted';
      });
    }, FAST);
    const params = { name: 'count', _meta: { progressToken: 'p' } };
    const request =
      era === 'modern'
        ? modern('tools/call', params, { meta: params._meta })
        : legacy(await openSession(port), 'tools/call', params);
    const messages = await (await EventStream.open(port, request)).rest();
    expect(messages.pop().result.content[0].text).toBe('counted');
    expect(messages.at(-1).params.progress).toBe(30_000);
    expect(messages.length).toBeLessThan(30_000);
  },
);

test('logs that are left out are counted in one message, with a level that the client wants', async () => {
  const { port } = await serve(server => {
    server.tool('talk', {}, (_args, ctx) => {
      for (let n = 0; n < 5000; n++) ctx.log.warning('x'.repeat(1000));
      return 'said';
    });
  }, FAST);
  const stream = await EventStream.open(port, modern('tools/call', { name: 'talk' }, { meta: LOGS }));
  const messages = await stream.rest();
  expect(messages.pop().result.content[0].text).toBe('said');
  const { level, data } = messages.pop().params;
  expect(level).toBe('warning');
  expect(data).toBe(
    `${5000 - messages.length} log messages were left out, because they came faster than the client reads, ` +
      'or than 100000 per second',
  );
});

test.for(['plain', 'streamed'])('a client that takes nothing of a %s answer is disconnected', async kind => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  server.tool('big', {}, (_args, ctx) => {
    if (kind === 'streamed') ctx.log.error('a large answer follows');
    return 'x'.repeat(32 * MiB);
  });
  const http = createServer(nodeHandler(server, { heartbeatMs: 50 })).listen(0, '127.0.0.1');
  onTestFinished(() => void http.close());
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const accepted = once(http, 'connection');
  const connection = await RawConnection.open(port);
  connection.socket.pause();
  connection.send(requestBytes(modern('tools/call', { name: 'big' }, { meta: LOGS })));
  const [socket] = (await accepted) as [Socket];
  if (!socket.closed) await once(socket, 'close');
  connection.destroy();
});
