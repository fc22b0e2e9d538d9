import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { answerOf, EventStream, LEGACY, legacy, MODERN, openSession, post, shown } from './messages.js';
import { exchange, type RawRequest } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

let served: RunningHttpServer;
beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  served = await listen(server, { port: 0, keys: freshKeys() });
  return () => served.close(0);
});

describe('a session', () => {
  test('is needed for everything but initialize', async () => {
    for (const method of ['tools/list', 'ping', 'notifications/initialized', 'nope']) {
      const response = await exchange(served.port, post({ jsonrpc: '2.0', id: 7, method }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toMatchObject({ id: 7, error: { code: -32600 } });
    }
    const notification = await exchange(
      served.port,
      post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    );
    expect(notification.status).toBe(400);
    expect(answerOf(notification)).not.toHaveProperty('id');
  });

  test.for(
    shown([
      '',
      ' ',
      'x',
      '0',
      '../../etc/passwd',
      'a'.repeat(8000),
      'AQAAAA',
      '=?base64?eA==?=',
      '\xe9\xff',
      '{}',
      '__proto__',
    ]),
  )('with the id $text is not found', async ({ value: session }) => {
    const response = await exchange(served.port, legacy(session, 'tools/list', {}, { id: 9 }));
    expect(response.status).toBe(404);
    expect(answerOf(response)).toMatchObject({ id: 9, error: { code: -32600 } });
  });

  test('with any character of its id changed is not found', async () => {
    const session = await openSession(served.port);
    expect((await exchange(served.port, legacy(session, 'ping'))).status).toBe(200);
    const connections = [...session].map(async (char, at) => {
      const forged = session.slice(0, at) + (char === 'A' ? 'B' : 'A') + session.slice(at + 1);
      return (await exchange(served.port, legacy(forged, 'ping'))).status;
    });
    expect(new Set(await Promise.all(connections))).toEqual(new Set([404]));
    for (const other of [session.slice(0, -1), `${session}A`, `${session}=`, session.toLowerCase()]) {
      expect((await exchange(served.port, legacy(other, 'ping'))).status).toBe(404);
    }
  });

  test('whose id comes twice is not found', async () => {
    const session = await openSession(served.port);
    const headers = { 'mcp-session-id': [session, session] };
    expect((await exchange(served.port, legacy(session, 'ping', {}, { headers }))).status).toBe(404);
  });

  test('of a server with another key is not found', async () => {
    const { port } = await serve(echoing);
    expect((await exchange(port, legacy(await openSession(served.port), 'ping'))).status).toBe(404);
  });

  test('of another server with the same keys is not found, but of the same server it is', async () => {
    const keys = ['k'.repeat(32)];
    const make = async (name: string) => {
      const server = new Server({ name, version: '1.0.0' });
      echoing(server);
      return listen(server, { port: 0, keys });
    };
    const [bistro, twin, bank] = await Promise.all([make('bistro'), make('bistro'), make('bank')]);
    const session = await openSession(bistro.port);
    expect((await exchange(twin.port, legacy(session, 'ping'))).status).toBe(200);
    expect((await exchange(bank.port, legacy(session, 'ping'))).status).toBe(404);
    await Promise.all([bistro.close(), twin.close(), bank.close()]);
  });

  test('of somebody else is not found, by any method', async () => {
    const { port } = await serve(echoing, {
      authenticate: request => {
        const user = request.header('authorization');
        return user === undefined ? undefined : { principal: user };
      },
    });
    const ada = { authorization: 'ada' };
    const eve = { authorization: 'eve' };
    const session = await openSession(port, { headers: ada });
    const get = (headers: RawRequest['headers']): RawRequest => ({
      method: 'GET',
      headers: { 'mcp-session-id': session, accept: 'text/event-stream', ...headers },
    });
    for (const headers of [eve, {}]) {
      expect((await exchange(port, legacy(session, 'ping', {}, { headers }))).status).toBe(404);
      expect((await exchange(port, get(headers))).status).toBe(404);
      expect((await exchange(port, { ...get(headers), method: 'DELETE' })).status).toBe(404);
    }
    expect((await exchange(port, legacy(session, 'ping', {}, { headers: ada }))).status).toBe(200);
    const anonymous = await openSession(port);
    expect((await exchange(port, legacy(anonymous, 'ping', {}, { headers: eve }))).status).toBe(404);
  });

  test('cannot be resumed by the events of somebody else', async () => {
    const { port } = await serve(server => {
      server.tool('talk', {}, (_, { log }) => {
        log.error('a secret');
        return 'done';
      });
    });
    const [ada, eve] = [await openSession(port), await openSession(port)];
    const stream = await EventStream.open(port, legacy(ada, 'tools/call', { name: 'talk' }));
    const event = await stream.nextEvent();
    expect(event?.message.params.data).toBe('a secret');
    const resume = (session: string): RawRequest => ({
      method: 'GET',
      headers: {
        'mcp-session-id': session,
        accept: 'text/event-stream',
        'last-event-id': event!.id!.replace(/\.\d+$/, '.0'),
      },
    });
    expect((await exchange(port, resume(eve))).status).toBe(400);
    const again = await EventStream.open(port, resume(ada));
    expect((await again.next()).params.data).toBe('a secret');
  });

  test.for(shown(['', '.', 'x.1', '.1', 'x', '0.9e99', '__proto__.1', 'x.-1', 'x.NaN']))(
    'has no stream for the event $text',
    async ({ value: lastEventId }) => {
      const headers = {
        'mcp-session-id': await openSession(served.port),
        accept: 'text/event-stream',
        'last-event-id': lastEventId,
      };
      expect((await exchange(served.port, { method: 'GET', headers })).status).toBe(400);
    },
  );

  test('is refused a second handshake, and a new one begins without an id', async () => {
    const session = await openSession(served.port);
    const again = await exchange(served.port, legacy(session, 'initialize', { protocolVersion: LEGACY }));
    expect(answerOf(again)).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(again.headers.has('mcp-session-id')).toBe(false);
    expect(await openSession(served.port)).not.toBe(session);
    expect((await exchange(served.port, legacy(session, 'ping'))).status).toBe(200);
  });

  test.for(
    shown([
      {},
      { protocolVersion: 1 },
      { protocolVersion: LEGACY, clientInfo: { name: 'x', version: '1' } },
      { protocolVersion: LEGACY, capabilities: [], clientInfo: { name: 'x', version: '1' } },
      { protocolVersion: LEGACY, capabilities: {} },
      { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'x' } },
    ]),
  )('does not begin with $text', async ({ value: params }) => {
    const response = await exchange(
      served.port,
      post({ jsonrpc: '2.0', id: 3, method: 'initialize', params }),
    );
    expect(answerOf(response)).toMatchObject({ id: 3, error: { code: -32602 } });
    expect(response.headers.has('mcp-session-id')).toBe(false);
  });

  test('begins in the newest revision of its era if the client names one that nobody knows', async () => {
    for (const protocolVersion of ['1999-01-01', MODERN, '']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const response = await exchange(
        served.port,
        post({ jsonrpc: '2.0', id: 3, method: 'initialize', params }),
      );
      expect(answerOf(response).result.protocolVersion).toBe(LEGACY);
    }
  });
});
