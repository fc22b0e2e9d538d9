import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodeHandler } from '../../src/node/index.js';
import { SERVICE } from '../../src/protocol/service.js';
import { Server } from '../../src/server/index.js';
import { answerOf, EventStream, INITIALIZE, legacy, modern, openSession, post, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { signalled } from './signalled.js';
import { startFixture } from './stdio-child.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };
const MiB = 1024 * 1024;

describe('close()', () => {
  test('ends every stream that waits for notices: a listen request with its result', async () => {
    const { port, close } = await serve(echoing, { sse: true });
    const session = await openSession(port);
    const accept = 'text/event-stream';
    const listening = await EventStream.open(
      port,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'l' }),
    );
    const notices = await EventStream.open(port, {
      method: 'GET',
      headers: { accept, 'mcp-session-id': session },
    });
    const sse = await RawConnection.open(port);
    sse.send(requestBytes({ method: 'GET', path: '/sse', headers: { accept } }));
    await sse.head();
    expect((await listening.next()).method).toBe('notifications/subscriptions/acknowledged');
    const closed = close();
    expect(await listening.rest()).toEqual([
      expect.objectContaining({ id: 'l', result: expect.any(Object) }),
    ]);
    expect(await notices.rest()).toEqual([]);
    await Promise.all([closed, sse.closed]);
  });

  test('ends any number of listen requests, and those that ended before are forgotten', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const { port, close, server } = await serve(echoing);
    const watch = vi.spyOn(server[SERVICE].remote(), 'watch');
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const streams = await Promise.all(Array.from({ length: 50 }, () => EventStream.open(port, listen)));
    for (const stream of streams) await stream.next();
    expect(watch).toHaveBeenCalledTimes(50);
    for (const stream of streams.slice(0, 25)) stream.connection.destroy();
    const closed = close();
    for (const stream of streams.slice(25)) expect(await stream.rest()).toHaveLength(1);
    await closed;
    expect(warnings).toEqual([]);
  });

  test('answers what comes later with 503, while what was there before goes on', async () => {
    const [started, finish] = [signalled(), signalled()];
    const server = new Server({ name: 'faults', version: '1.0.0' });
    server.tool('slow', {}, async () => {
      started.resolve();
      await finish.promise;
      return 'finished';
    });
    const handler = nodeHandler(server);
    const http = createServer(handler).listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const call = exchange(port, modern('tools/call', { name: 'slow' }));
    await started.promise;
    const closed = handler.close();
    for (const request of [modern('tools/list'), post(INITIALIZE), { method: 'GET' }, { method: 'DELETE' }]) {
      const late = await exchange(port, request);
      expect(late.status).toBe(503);
      expect(answerOf(late)).not.toHaveProperty('id');
    }
    finish.resolve();
    expect(textOf(await call)).toBe('finished');
    await closed;
  });

  test('does not wait for a body that never comes', async () => {
    const { port, close } = await serve(echoing);
    const connection = await RawConnection.open(port);
    const bytes = requestBytes(modern('tools/list'));
    connection.send(bytes.subarray(0, bytes.length - 10));
    const other = await RawConnection.open(port);
    other.send(requestBytes(modern('tools/list')));
    await other.response();
    await close(50);
    await connection.closed;
  });

  test('does not wait for a client that never reads, longer than the grace time', async () => {
    const { port, close } = await serve(server => server.tool('big', {}, () => 'x'.repeat(32 * MiB)));
    const connection = await RawConnection.open(port);
    connection.socket.pause();
    connection.send(requestBytes(modern('tools/call', { name: 'big' })));
    const other = await RawConnection.open(port);
    other.send(requestBytes(modern('tools/list')));
    await other.response();
    await close(50);
  });

  test('aborts a call that ignores its signal, after the grace time, and answers it', async () => {
    const started = [signalled(), signalled()] as const;
    let calls = 0;
    const { port, close } = await serve(server => {
      server.tool('never', {}, () => {
        started[calls++]?.resolve();
        return new Promise(() => {});
      });
    });
    const session = await openSession(port);
    const connections = await Promise.all([RawConnection.open(port), RawConnection.open(port)]);
    connections[0].send(requestBytes(modern('tools/call', { name: 'never' })));
    connections[1].send(requestBytes(legacy(session, 'tools/call', { name: 'never' })));
    await Promise.all(started.map(({ promise }) => promise));
    const answers = Promise.all(connections.map(async connection => answerOf(await connection.response())));
    await close(50);
    for (const answer of await answers) expect(answer).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  test('ends a call that waits for an answer of its client', async () => {
    const { port, close } = await serve(server => {
      server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
    });
    const session = await openSession(port, { capabilities: { roots: {} } });
    const stream = await EventStream.open(port, legacy(session, 'tools/call', { name: 'ask' }));
    expect((await stream.next()).method).toBe('roots/list');
    const closed = close(50);
    const rest = await stream.rest();
    expect(rest.at(-1)).toMatchObject({ id: 1 });
    await closed;
  });

  test('may come while nothing was ever asked, and twice', async () => {
    const { close } = await serve(echoing);
    await Promise.all([close(), close(0)]);
    await close();
  });

  test('leaves nothing that keeps the process alive', async () => {
    const child = startFixture('closing-server.ts');
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const port = Number((await lines.next()).value);
    const session = await openSession(port);
    const accept = 'text/event-stream';
    // One of each: a call, a listen request, a stream of notices, the old transport, an idle connection.
    const call = await EventStream.open(port, modern('tools/call', { name: 'never' }, { meta: LOGS }));
    expect((await call.next()).params.data).toBe('begun');
    await EventStream.open(
      port,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    await EventStream.open(port, legacy(session, 'tools/call', { name: 'never' }));
    await EventStream.open(port, { method: 'GET', headers: { accept, 'mcp-session-id': session } });
    await EventStream.open(port, { method: 'GET', path: '/sse', headers: { accept } });
    await RawConnection.open(port);
    child.stdin!.end();
    expect((await lines.next()).value).toBe('closed');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
