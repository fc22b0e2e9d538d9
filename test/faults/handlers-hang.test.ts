import { describe, expect, test } from 'vitest';
import { expectFine } from './both-eras.js';
import { SECRET } from './hostile-values.js';
import { EventStream, eventsOf, legacy, modern, openSession, post, textOf } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';
import { type Served, serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

describe('a handler that never returns', () => {
  async function serveWaiting(): Promise<Served & { started: Promise<void>; aborted: Promise<unknown> }> {
    const started = signalled();
    const aborted = signalled<unknown>();
    const served = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('never', {}, (_, { signal }) => {
        started.resolve();
        signal.addEventListener('abort', () => aborted.resolve(signal.reason));
        return new Promise(() => {});
      });
    });
    return { ...served, started: started.promise, aborted: aborted.promise };
  }

  test('is told by a cancellation in a session, which goes on', async () => {
    const { port, started, aborted, close, errors } = await serveWaiting();
    const session = await openSession(port);
    const call = exchange(port, legacy(session, 'tools/call', { name: 'never' }, { id: 'a' }));
    await started;
    const cancelled = (requestId: unknown) =>
      exchange(
        port,
        post(
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'enough' } },
          { 'mcp-session-id': session },
        ),
      );
    for (const other of ['b', 1, null, undefined, {}, ['a']])
      expect((await cancelled(other)).status).toBe(202);
    expect((await cancelled('a')).status).toBe(202);
    expect(await aborted).toMatchObject({ name: 'Cancelled', message: 'enough' });
    expect((await call).body).toBe('');
    expect((await cancelled('a')).status).toBe(202);
    expect(textOf(await exchange(port, legacy(session, 'tools/call', { name: 'fine' }, { id: 'a' })))).toBe(
      'fine',
    );
    expect(errors).toEqual([]);
    // Nothing is left to wait for.
    await close();
  });

  test('is not cancelled from another session', async () => {
    const { port, started, aborted } = await serveWaiting();
    const [ada, eve] = [await openSession(port), await openSession(port)];
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(legacy(ada, 'tools/call', { name: 'never' }, { id: 'a' })));
    await started;
    const params = { requestId: 'a' };
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    await exchange(port, post(message, { 'mcp-session-id': eve }));
    await exchange(port, post(message, { 'mcp-session-id': ada }));
    // The first reason that arrives is the one of ada's own cancellation, after eve's has been dealt with.
    expect(await aborted).toMatchObject({ name: 'Cancelled' });
  });

  // covers: 2026-07-28/cancellation/disconnect-cancels, 2026-07-28/cancellation/server-frees-resources
  test('is told by the disconnect of a modern client, and leaves nothing behind', async () => {
    const { port, started, aborted, close } = await serveWaiting();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'never' })));
    await started;
    connection.destroy();
    expect(await aborted).toMatchObject({ name: 'Cancelled' });
    await expectFine(port);
    await close();
  });

  test('is not begun for a client that left while somebody found out who it is', async () => {
    const arrived = signalled();
    const goOn = signalled();
    const begun: string[] = [];
    const { port } = await serve(
      server => {
        server.tool('fine', {}, () => 'fine');
        server.tool('never', {}, () => {
          begun.push('never');
          return new Promise(() => {});
        });
      },
      {
        async authenticate() {
          arrived.resolve();
          await goOn.promise;
          return undefined;
        },
      },
    );
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'never' })));
    await arrived.promise;
    connection.destroy();
    await connection.closed;
    // One round over another connection: by then the server has seen the end of the first.
    await exchange(port, { method: 'OPTIONS' });
    goOn.resolve();
    expect(textOf(await exchange(port, modern('tools/call', { name: 'fine' })))).toBe('fine');
    expect(begun).toEqual([]);
  });

  test('goes on when a legacy client disconnects, because that does not cancel', async () => {
    const started = signalled();
    const goOn = signalled();
    const ended = signalled<boolean>();
    const { port } = await serve(server => {
      server.tool('slow', {}, async (_, { signal }) => {
        started.resolve();
        await goOn.promise;
        ended.resolve(signal.aborted);
      });
    });
    const session = await openSession(port);
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(legacy(session, 'tools/call', { name: 'slow' })));
    await started.promise;
    connection.destroy();
    await connection.closed;
    await exchange(port, legacy(session, 'ping'));
    goOn.resolve();
    expect(await ended.promise).toBe(false);
  });

  test('may reject after it was cancelled without harm', async () => {
    const started = signalled();
    const rejected = signalled();
    const { port } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('late', {}, (_, { signal }) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            setImmediate(() => {
              reject(new Error(SECRET));
              rejected.resolve();
            });
          });
        });
      });
    });
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'late' })));
    await started.promise;
    connection.destroy();
    await rejected.promise;
    await expectFine(port);
  });
});

describe('what a handler says after its answer', () => {
  async function serveTalkative() {
    const again = signalled();
    const said = signalled<unknown>();
    const served = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('talk', {}, async (_, ctx) => {
        ctx.log.error('before');
        void again.promise
          .then(() => {
            ctx.log.error('after');
            ctx.progress(2);
            ctx.closeStream();
            return ctx.session ? ctx.roots({ timeoutMs: 60_000 }) : undefined;
          })
          .catch(error => error)
          .then(said.resolve);
        ctx.progress(1);
        return 'done';
      });
    });
    return { ...served, again, said };
  }
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };

  // covers: 2026-07-28/progress/only-tokens-of-open-requests, 2026-07-28/progress/progress-stops
  test('is not sent on the modern era', async () => {
    const { port, again, said } = await serveTalkative();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'talk' }, { meta })));
    const events = eventsOf((await connection.response()).body);
    expect(events.map(({ method, result }) => method ?? result.content[0].text)).toEqual([
      'notifications/message',
      'notifications/progress',
      'done',
    ]);
    again.resolve();
    await said.promise;
    connection.send(requestBytes(modern('tools/call', { name: 'fine' })));
    expect(textOf(await connection.response())).toBe('fine');
  });

  test('is not sent in a session, and a question is refused instead of waiting for an answer', async () => {
    const { port, again, said } = await serveTalkative();
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'x', version: '1' },
    };
    const opened = await exchange(port, post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    const session = opened.headers.get('mcp-session-id')!;
    const notices = await EventStream.open(port, {
      method: 'GET',
      headers: { 'mcp-session-id': session, accept: 'text/event-stream' },
    });
    const talk = await exchange(port, legacy(session, 'tools/call', { name: 'talk', _meta: meta }));
    expect(eventsOf(talk.body)).toHaveLength(3);
    again.resolve();
    expect(await said.promise).toBeInstanceOf(Error);
    await exchange(port, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect(await notices.rest()).toEqual([]);
  });
});
