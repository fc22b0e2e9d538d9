import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import type { Transport } from '../../src/protocol/transport.js';
import { failure, pair } from './connected.js';
import { DISCOVERY, modern } from './raw-server.js';

/** Takes many turns to parse. */
const LARGE = `[${'"a",'.repeat(900_000)}"a"]`;
const largeResult = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${LARGE}}}`;
const log = (data: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });

/** A pipe whose other end is the test; nothing on it ever waits. */
function pipe(
  answer: (id: number, receive: (text: string) => unknown, closed: () => void) => void,
): Transport {
  let receive: (text: string) => unknown;
  let closed: (reason?: Error) => void;
  return {
    async start(...listeners) {
      [receive, closed] = listeners;
    },
    send(text) {
      const { id, method } = JSON.parse(text);
      if (method === 'server/discover') receive(JSON.stringify({ jsonrpc: '2.0', id, result: DISCOVERY }));
      else if (method === 'tools/call') answer(id, receive, () => closed());
    },
    async close() {},
  };
}

describe('while a large message is being parsed', () => {
  it('keeps the order of what comes after it on a pipe', async () => {
    const heard: unknown[] = [];
    const transport = pipe((id, receive) => {
      receive(log(1));
      receive(`{"jsonrpc":"2.0","method":"large","params":{"a":${LARGE}}}`);
      receive(log(2));
      receive(largeResult(id));
      receive(log(3));
    });
    const client = await connect(transport, {
      onLog: ({ data }) => void heard.push(data),
      onNotification: method => void heard.push(method),
    });
    await client.callTool('x').then(() => heard.push('result'));
    await expect.poll(() => heard).toEqual([1, 'large', 2, 'result', 3]);
  });

  it('keeps the order of events on a stream', async () => {
    const heard: unknown[] = [];
    const answer = modern({
      'tools/call': ask => {
        const large = `{"jsonrpc":"2.0","method":"large","params":{"a":${LARGE}}}`;
        ask
          .stream()
          .event(log(1))
          .event(large)
          .event(log(2))
          .event(largeResult(ask.message.id))
          .response.end();
      },
    });
    const { client } = await pair(answer, {
      onLog: ({ data }) => void heard.push(data),
      onNotification: method => void heard.push(method),
    });
    await client.callTool('x').then(() => heard.push('result'));
    expect(heard).toEqual([1, 'large', 2, 'result']);
  });

  it('reads the last message of a pipe that closes', async () => {
    let isClosed = false;
    const transport = pipe((id, receive, closed) => {
      receive(largeResult(id));
      closed();
    });
    const client = await connect(transport, {
      onClose() {
        isClosed = true;
      },
    });
    expect((await client.callTool('x')).structuredContent).toHaveLength(900_001);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('rejects an answer on a pipe that has too much in it', async () => {
    const client = await connect(
      pipe((id, receive) => receive(`{"jsonrpc":"2.0","id":${id},"result":[${'{},'.repeat(300_000)}{}]}`)),
    );
    expect((await failure(client.callTool('x'))).name).toBe('InvalidAnswer');
  });

  it.each(['pipe', 'http'])('settles everything at once when it is closed over %s', async way => {
    const onPipe = pipe((id, receive) => void receive(largeResult(id)));
    const client =
      way === 'pipe'
        ? await connect(onPipe)
        : (await pair(modern({ 'tools/call': ask => ask.json(largeResult(ask.message.id)) }))).client;
    onTestFinished(() => client.close());
    const calls = [1, 2, 3].map(() => client.callTool('x').catch(error => error.name));
    await new Promise(resolve => setTimeout(resolve, 30));
    const begun = process.cpuUsage();
    await client.close();
    const ends = await Promise.all(calls);
    // Work, not time, because others may be at work, too.
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(500);
    expect(ends).toContain('ConnectionError');
  });

  it('stops when the request is cancelled', async () => {
    const { client } = await pair(modern({ 'tools/call': ask => ask.json(largeResult(ask.message.id)) }));
    const controller = new AbortController();
    const call = client.callTool('x', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 40);
    await expect(call).rejects.toThrow('enough');
  });
});
