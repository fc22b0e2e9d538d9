import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/node/index.js';
import type { Server } from '../../src/server/index.js';
import { startChild } from './child.js';
import { createGate, type Gate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { getStream } from './send.js';
import { serve, serveObserved, serverWith } from './serve.js';
import { SseClient } from './sse-client.js';
import { countWatchers } from './watchers.js';

/** A server whose tool runs until the gate opens, or for ever. */
function slow(started: Gate<void>, finish: Gate<void>, text = 'finished'): Server {
  return serverWith(server => {
    server.tool('slow', {}, async (_args, ctx) => {
      if (ctx.revision === '2025-11-25') ctx.log.info('begun');
      started.open();
      await finish.passed;
      return text;
    });
  });
}

describe('close()', () => {
  test.for(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'lets a call of %s finish that is under way',
    async revision => {
      const [started, finish] = [createGate(), createGate()];
      const listening = await serve(slow(started, finish));
      const call =
        revision === '2026-07-28'
          ? new ModernClient(listening.url).call('slow')
          : (await LegacyClient.open(listening.url, { revision })).call('slow');
      await started.passed;
      const closed = listening.close();
      finish.open();
      expect((await call).result.content[0].text).toBe('finished');
      await closed;
    },
  );

  test('lets a batch finish that is under way', async () => {
    const [started, finish] = [createGate(), createGate()];
    const listening = await serve(slow(started, finish));
    const client = await LegacyClient.open(listening.url, { revision: '2025-03-26' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } };
    const batch = client.post([call, { jsonrpc: '2.0', id: 2, method: 'ping' }]);
    await started.passed;
    const closed = listening.close();
    finish.open();
    expect(await (await batch).json()).toHaveLength(2);
    await closed;
  });

  test.for(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'ends a call of %s that takes longer than the grace with an error, instead of leaving the client to guess',
    async revision => {
      const started = createGate();
      const listening = await serve(slow(started, createGate()));
      const call =
        revision === '2026-07-28'
          ? new ModernClient(listening.url).call('slow')
          : (await LegacyClient.open(listening.url, { revision })).call('slow');
      await started.passed;
      await listening.close(1);
      expect((await call).error).toEqual({ code: -32603, message: 'the server is shutting down' });
    },
  );

  test('aborts the signal of a call that takes longer than the grace', async () => {
    const [started, aborted] = [createGate(), createGate()];
    const server = serverWith(server => {
      server.tool('endless', {}, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.open());
        started.open();
        await new Promise(() => {});
      });
    });
    const listening = await serve(server);
    void new ModernClient(listening.url).call('endless');
    await started.passed;
    await listening.close(1);
    await aborted.passed;
  });

  test('delivers an answer to its last byte, also to a reader that takes its time', async () => {
    const [started, finish] = [createGate(), createGate()];
    const size = 16 * 1024 * 1024;
    const listening = await serve(slow(started, finish, 'x'.repeat(size)));
    const client = await LegacyClient.open(listening.url);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
    const socket = connect(listening.port, '127.0.0.1').pause();
    socket.write(
      [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${listening.port}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        `Mcp-Session-Id: ${client.session}`,
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    await started.passed;
    finish.open();
    const closed = listening.close();
    // The server has said all it has to say, and this side has not yet read any of it.
    await new Promise(resolve => setImmediate(resolve));
    let received = 0;
    socket.on('data', chunk => {
      received += chunk.length;
    });
    await Promise.all([once(socket.resume(), 'close'), closed]);
    expect(received).toBeGreaterThan(size);
  });

  test('refuses what comes later with 503 where the connection is not its own', async () => {
    const { url, handler } = await serveObserved(serverWith(server => server.tool('greet', {}, () => 'hi')));
    const client = await LegacyClient.open(url);
    await handler.close();
    expect((await client.request('ping')).status).toBe(503);
    expect((await new ModernClient(url).request('tools/list')).status).toBe(503);
    expect((await client.get()).status).toBe(503);
  });

  test('may be called twice', async () => {
    const listening = await serve(serverWith(server => server.tool('greet', {}, () => 'hi')));
    await Promise.all([listening.close(), listening.close()]);
    await listening.close();
  });

  test('takes the connections that nobody uses with it', async () => {
    const listening = await serve(serverWith(server => server.tool('greet', {}, () => 'hi')));
    const idle = connect(listening.port, '127.0.0.1');
    await once(idle, 'connect');
    // Once it was accepted, the server knows it.
    await fetch(listening.url);
    const closed = once(idle.resume(), 'close');
    await listening.close();
    await closed;
  });

  test('leaves nothing behind when it cannot even listen', async () => {
    const server = serverWith(server => server.tool('greet', {}, () => 'hi'));
    const watchers = countWatchers(server);
    await expect(listen(server, { port: 0, host: '192.0.2.1' })).rejects.toThrow('cannot listen');
    expect(watchers()).toBe(0);
  });

  test('stops watching the server that it served', async () => {
    const server = serverWith(server => server.tool('greet', {}, () => 'hi'));
    const watchers = countWatchers(server);
    const listening = await serve(server, { sse: true });
    const client = await SseClient.open(new URL('/sse', listening.url).href);
    expect(watchers()).toBeGreaterThan(0);
    await listening.close();
    expect(await client.stream.ended()).toBe(true);
    expect(watchers()).toBe(0);
  });
});

describe('a process', () => {
  test('exits by itself once its server has closed, with clients of all kinds connected', async () => {
    const child = startChild('closing.ts');
    const url = await child.line();
    const session = await LegacyClient.open(url, { revision: '2025-11-25' });
    const cut = await session.stream('log');
    const streams = [
      await session.notices(),
      await session.notices(),
      await new ModernClient(url).listen({ toolsListChanged: true }),
      await getStream(new URL('/sse', url).href),
    ];
    cut.cut();
    child.process.disconnect();
    child.process.stdin!.write('close\n');
    expect(await child.line()).toBe('closed');
    expect(await Promise.all(streams.map(stream => stream.ended()))).toEqual([true, true, true, true]);
    expect(await child.exited).toBe(0);
  });
});
