import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { Server } from '../../src/index.js';
import { type Listening, listen } from '../../src/node/index.js';
import {
  answerOf,
  EventStream,
  LEGACY,
  legacy,
  MODERN,
  modern,
  openSession,
  post,
  shown,
  textOf,
} from './messages.js';
import { exchange, type RawRequest } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

let served: Listening;
beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  server.tool(
    'route',
    {
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
      },
    },
    args => args.region,
  );
  server.resource('menu://today', {}, () => 'soup');
  server.resource('menu://{day}', {}, ({ day }) => String(day));
  served = await listen(server, { port: 0 });
  return () => served.close(0);
});

describe('a method of HTTP', () => {
  test.for(['PUT', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND'])('%s is refused with 405', async method => {
    const response = await exchange(served.port, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, GET, DELETE');
  });

  test.for(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is refused with 405 on the modern era', async method => {
    const headers = { 'mcp-protocol-version': MODERN, accept: 'text/event-stream' };
    const response = await exchange(served.port, { method, headers });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('GET needs a session', async () => {
    const headers = { accept: 'text/event-stream' };
    expect((await exchange(served.port, { method: 'GET', headers })).status).toBe(400);
    const unknown = { ...headers, 'mcp-session-id': 'nope' };
    expect((await exchange(served.port, { method: 'GET', headers: unknown })).status).toBe(404);
  });

  test('GET needs somebody who reads events', async () => {
    const headers = { 'mcp-session-id': await openSession(served.port), accept: 'application/json' };
    expect((await exchange(served.port, { method: 'GET', headers })).status).toBe(406);
  });

  test('DELETE needs a session, and ends it once', async () => {
    expect((await exchange(served.port, { method: 'DELETE' })).status).toBe(400);
    const headers = { 'mcp-session-id': await openSession(served.port) };
    expect((await exchange(served.port, { method: 'DELETE', headers })).status).toBe(204);
    expect((await exchange(served.port, { method: 'DELETE', headers })).status).toBe(404);
    const call = legacy(headers['mcp-session-id'], 'ping');
    expect((await exchange(served.port, call)).status).toBe(404);
  });

  test('DELETE ends the streams and the calls of the session', async () => {
    const started = signalled();
    const aborted = signalled<unknown>();
    const { port } = await serve(server => {
      server.tool('wait', {}, async (_, { signal }) => {
        started.resolve();
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
        aborted.resolve(signal.reason);
      });
    });
    const session = await openSession(port);
    const headers = { 'mcp-session-id': session };
    const stream = await EventStream.open(port, {
      method: 'GET',
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const call = exchange(port, legacy(session, 'tools/call', { name: 'wait' }));
    await started.promise;
    await exchange(port, { method: 'DELETE', headers });
    expect(await stream.rest()).toEqual([]);
    expect(await aborted.promise).toMatchObject({ name: 'Cancelled' });
    expect((await call).body).toBe('');
  });

  test('on another path finds nothing', async () => {
    for (const path of [
      '/',
      '/mcp/',
      '/mcp/x',
      '//mcp',
      '/MCP',
      '/%6dcp',
      'http://localhost/mcp',
      '/sse',
      '*',
    ]) {
      expect([path, (await exchange(served.port, { ...modern('tools/list'), path })).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await exchange(served.port, { ...modern('tools/list'), path: '/mcp?x=1' })).status).toBe(200);
  });
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
      {
        protocolVersion: LEGACY,
        capabilities: { experimental: { a: { b: randomBytes(4000).toString('hex') } } },
        clientInfo: { name: 'x', version: '1' },
      },
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

describe('the version header', () => {
  test.for(shown(['', '1999-01-01', MODERN, '2025-06-18 ', 'x', '2025-06-18, 2025-06-18']))(
    'of $text is refused in a session, unless it is known',
    async ({ value: version }) => {
      const session = await openSession(served.port);
      const headers = { 'mcp-protocol-version': version };
      const response = await exchange(served.port, legacy(session, 'ping', {}, { headers }));
      expect(response.status).toBe(version.trim() === '2025-06-18' ? 200 : 400);
    },
  );

  test('that comes twice is refused in both eras', async () => {
    const session = await openSession(served.port);
    const twice = (version: string) => ({ 'mcp-protocol-version': [version, version] });
    expect(
      (await exchange(served.port, legacy(session, 'ping', {}, { headers: twice(LEGACY) }))).status,
    ).toBe(400);
    const response = await exchange(served.port, modern('tools/list', {}, { headers: twice(MODERN) }));
    expect(response.status).toBe(400);
    expect(answerOf(response).error.code).toBe(-32020);
  });

  test('must say what the body says', async () => {
    for (const version of [undefined, '', LEGACY, '1999-01-01', `${MODERN}x`]) {
      const headers = { 'mcp-protocol-version': version };
      const response = await exchange(served.port, modern('tools/list', {}, { headers }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32020 } });
    }
  });

  test('of a version that is not supported is refused with the ones that are', async () => {
    for (const version of ['2099-01-01', LEGACY, 'x', '__proto__']) {
      const response = await exchange(
        served.port,
        modern(
          'tools/list',
          {},
          {
            headers: { 'mcp-protocol-version': version },
            meta: { 'io.modelcontextprotocol/protocolVersion': version },
          },
        ),
      );
      expect(response.status).toBe(400);
      expect(answerOf(response).error).toMatchObject({
        code: -32022,
        data: { requested: version, supported: expect.arrayContaining([MODERN]) },
      });
    }
  });

  test('alone makes a request modern, which is then told of its missing envelope', async () => {
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
    const response = await exchange(
      served.port,
      post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers),
    );
    expect(response.status).toBe(400);
    expect(answerOf(response).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('_meta'),
    });
  });
});

describe('a header that mirrors the body', () => {
  const call = (headers: RawRequest['headers']) =>
    exchange(served.port, modern('tools/call', { name: 'echo', arguments: { value: 1 } }, { headers }));

  test.for<[string, RawRequest['headers']]>([
    ['Mcp-Method is missing', { 'mcp-method': undefined }],
    ['Mcp-Method is empty', { 'mcp-method': '' }],
    ['Mcp-Method differs', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method differs in case', { 'mcp-method': 'Tools/Call' }],
    ['Mcp-Method comes twice', { 'mcp-method': ['tools/call', 'tools/call'] }],
    ['Mcp-Method comes twice and differs', { 'mcp-method': ['tools/call', 'tools/list'] }],
    ['Mcp-Method is encoded, which is for names only', { 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' }],
    ['Mcp-Name is missing', { 'mcp-name': undefined }],
    ['Mcp-Name is empty', { 'mcp-name': '' }],
    ['Mcp-Name differs', { 'mcp-name': 'other' }],
    ['Mcp-Name comes twice', { 'mcp-name': ['echo', 'echo'] }],
    ['Mcp-Name comes twice and differs', { 'mcp-name': ['echo', 'other'] }],
    ['Mcp-Name is badly encoded', { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['Mcp-Name has bytes that are no text', { 'mcp-name': '=?base64?/w==?=' }],
    ['Mcp-Name has characters that no name has', { 'mcp-name': 'echo\xe9' }],
  ])('refuses the request with -32020 if %s', async ([, headers]) => {
    const response = await call(headers);
    expect(response.status).toBe(400);
    expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  test('may have its name in any case, and spaces around its value', async () => {
    const headers = { 'mcp-method': undefined, 'MCP-METHOD': '  tools/call  ', 'mcp-name': '\techo' };
    expect(textOf(await call(headers))).toBe('1');
  });

  test('may be encoded', async () => {
    expect(textOf(await call({ 'mcp-name': '=?base64?ZWNobw==?=' }))).toBe('1');
  });

  test('names the URI of what is read', async () => {
    const read = (uri: string, name: string) =>
      exchange(served.port, modern('resources/read', { uri }, { headers: { 'mcp-name': name } }));
    expect(answerOf(await read('menu://today', 'menu://today')).result.contents[0].text).toBe('soup');
    expect(answerOf(await read('menu://today', 'menu://tomorrow')).error.code).toBe(-32020);
  });

  test.for<[string, string | string[] | undefined, string, number | undefined]>([
    ['agrees', 'west', 'west', undefined],
    ['is encoded and agrees', '=?base64?d2VzdA==?=', 'west', undefined],
    ['differs', 'east', 'west', -32020],
    ['is missing', undefined, 'west', -32020],
    ['comes twice', ['west', 'west'], 'west', -32020],
    ['comes twice to make one value of two', ['west', 'east'], 'west, east', -32020],
    ['is badly encoded', '=?base64?!!?=', 'west', -32020],
    ['has characters that no header has', 'w\xe9st', 'w\xe9st', -32020],
  ])('for an argument: if it %s', async ([, header, region, code]) => {
    const params = { name: 'route', arguments: { region } };
    const headers = { 'mcp-param-region': header };
    const response = await exchange(served.port, modern('tools/call', params, { headers }));
    expect(answerOf(response).error?.code).toBe(code);
    expect(response.status).toBe(code === undefined ? 200 : 400);
    if (code === undefined) expect(textOf(response)).toBe(region);
  });
});

describe('authenticate', () => {
  test('refuses with 401 whatever it throws, and tells nobody why', async () => {
    const thrown = [new Error('secret'), 'secret', null, undefined, { toString: null }, Symbol('secret')];
    let next: unknown;
    const { port } = await serve(echoing, {
      authenticate: () => {
        throw next;
      },
    });
    for (next of thrown) {
      const response = await exchange(port, modern('tools/list'));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.body).not.toContain('secret');
    }
  });
});
