import { describe, expect, test } from 'vitest';
import { ConnectionError } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { connected, failure, pair, serveRaw } from './connected.js';
import { ERAS, legacy, listenRaw, MODERN, modern } from './raw-server.js';

failOnUnhandled();

const SENDERS = { 'node:http': {}, fetch: { fetch: globalThis.fetch } };

describe.each(Object.entries(SENDERS))('over %s, the error of a request', (_name, sender) => {
  test('says that the request had no effect if there was no connection', async () => {
    const { url, close } = await listenRaw(() => {});
    await close();
    const client = await connected(url, { ...sender, negotiated: { revision: MODERN } });
    const error = await failure(client.callTool('pay'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.hadNoEffect).toBe(true);
    expect(error.message).toContain('the request did not reach the server');
  });

  test.for(ERAS)('admits that it is unknown what a $era server did before it hung up', async ({ serve }) => {
    const { client } = await pair(serve({ 'tools/call': ask => ask.request.socket.destroy() }), sender);
    const error = await failure(client.callTool('pay'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.hadNoEffect).toBe(false);
    expect(error.message).toContain('it is not known whether the request reached the server');
  });

  test.for(ERAS)(
    'admits that it is unknown what a $era server did whose answer broke off',
    async ({ serve }) => {
      const { client } = await pair(
        serve({
          'tools/call': ask => {
            ask.response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
            ask.response.write('{', () => ask.request.socket.destroy());
          },
        }),
        sender,
      );
      expect(await failure(client.callTool('pay'))).toMatchObject({ kind: 'connection', hadNoEffect: false });
    },
  );

  test('admits that it is unknown what a server did that is gone when its stream is resumed', async () => {
    const server = await serveRaw(
      legacy({
        'tools/call': async ask => {
          ask.stream();
          await ask.write('retry: 1\nid: 1\ndata: \n\n');
          await server.close();
        },
      }),
    );
    const client = await connected(server.url, sender);
    const error = await failure(client.callTool('pay'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.hadNoEffect).toBe(false);
    expect(error.message).toBe('the stream with the answer to tools/call broke off and cannot be resumed');
  });
});

test('a fetch of the author may have sent a request several times, so its errors prove nothing', async () => {
  const { url, close } = await listenRaw(() => {});
  await close();
  const fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args);
  const client = await connected(url, { fetch, negotiated: { revision: MODERN } });
  expect(await failure(client.callTool('pay'))).toMatchObject({ hadNoEffect: false });
});

test('after a server hung up on one idle connection, the others are not used', async () => {
  const CALLS = 5;
  let isRestarted = false;
  const old = new Set<object>();
  let arrived = 0;
  let release = () => {};
  const all = new Promise<void>(resolve => {
    release = resolve;
  });
  const { client } = await pair(
    modern({
      'tools/call': async ask => {
        const { socket } = ask.request;
        if (isRestarted && old.has(socket)) return socket.destroy();
        if (!isRestarted) old.add(socket);
        // Each call waits for all others, so that each has a connection of its own.
        if (!isRestarted && ++arrived === CALLS) release();
        await all;
        ask.text('done');
      },
    }),
  );
  await Promise.all(Array.from({ length: CALLS }, () => client.callTool('cook')));
  isRestarted = true;
  expect(await failure(client.callTool('cook'))).toBeInstanceOf(ConnectionError);
  for (let call = 1; call < CALLS; call++) {
    expect(await client.callTool('cook')).toMatchObject({ content: [{ text: 'done' }] });
  }
});
