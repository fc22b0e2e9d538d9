import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import {
  answerOf,
  ENVELOPE,
  EventStream,
  legacy,
  MODERN,
  modern,
  openSession,
  post,
  shown,
  textOf,
} from './messages.js';
import { exchange } from './raw-http.js';
import { echoing, serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

let served: RunningHttpServer;
let session: string;
beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty'])
    server.tool(name, {}, () => `I am ${name}`);
  served = await listen(server, { port: 0, keys: freshKeys() });
  session = await openSession(served.port);
  return () => served.close(0);
});

const MODERN_HEADERS = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };

/** The same request in both eras, with some members replaced. */
function inBothEras(changes: object): [era: string, send: () => ReturnType<typeof exchange>][] {
  const base = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const envelope = { params: { _meta: ENVELOPE } };
  return [
    ['legacy', () => exchange(served.port, post({ ...base, ...changes }, { 'mcp-session-id': session }))],
    ['modern', () => exchange(served.port, post({ ...base, ...envelope, ...changes }, MODERN_HEADERS))],
  ];
}

describe('an id', () => {
  // covers: 2026-07-28/basic/request-id-is-text-or-integer
  test.for(
    shown([
      0,
      -1,
      1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      '',
      '0',
      ' ',
      'é\u0000\n"\\',
      '__proto__',
    ]),
  )('of $text comes back as it was', async ({ value: id }) => {
    for (const [, send] of inBothEras({ id })) {
      const response = await send();
      expect(response.status).toBe(200);
      expect(answerOf(response).id).toBe(id);
      expect(answerOf(response).result.tools).toHaveLength(4);
    }
  });

  // covers: 2025-11-25/basic/error-id-may-be-missing, 2026-07-28/basic/request-id-is-not-null
  // covers: 2026-07-28/basic/request-id-is-text-or-integer
  test.for(shown<unknown>([null, 1.5, true, false, {}, { toString: 1 }, [], [1], 1e300, 2 ** 53]))(
    'of $text is refused with 400 and -32600, and never repeated',
    async ({ value: id }) => {
      for (const [, send] of inBothEras({ id })) {
        const response = await send();
        expect(response.status).toBe(400);
        expect(answerOf(response)).toEqual({
          jsonrpc: '2.0',
          error: { code: -32600, message: expect.any(String) },
        });
      }
    },
  );

  test('too large for a number is refused instead of being changed', async () => {
    for (const id of ['9007199254740993', '1e400', '-123456789012345678901234567890']) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
      const response = await exchange(served.port, post(body, { 'mcp-session-id': session }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).not.toHaveProperty('id');
    }
  });

  test('that is missing makes a notification, which is accepted without a word', async () => {
    for (const [, send] of inBothEras({ id: undefined })) {
      const response = await send();
      expect([response.status, response.body]).toEqual([202, '']);
    }
  });

  // covers: 2026-07-28/basic/notification-has-no-id
  test('on a notification makes a request for a method that does not exist', async () => {
    const method = 'notifications/cancelled';
    const inSession = await exchange(served.port, legacy(session, method, { requestId: 1 }));
    expect(answerOf(inSession)).toMatchObject({ id: 1, error: { code: -32601 } });
    const alone = await exchange(served.port, modern(method, { requestId: 1 }));
    expect(alone.status).toBe(404);
    expect(answerOf(alone)).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});

describe('a message', () => {
  test('may have members that nobody knows', async () => {
    for (const [, send] of inBothEras({ extra: { __proto__: 1 }, error: undefined, trace: [] })) {
      expect(answerOf(await send()).result.tools).toHaveLength(4);
    }
  });

  // covers: 2025-06-18/basic/messages-follow-json-rpc
  test.for(shown([undefined, '1.0', '2', 2, 2.0, null, ['2.0']]))(
    'of JSON-RPC $text is refused',
    async ({ value: jsonrpc }) => {
      for (const [, send] of inBothEras({ jsonrpc })) {
        const response = await send();
        expect(response.status).toBe(400);
        expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32600 } });
      }
    },
  );

  test.for(shown([null, 1, {}, ['tools/list'], true]))(
    'with the method $text is refused',
    async ({ value: method }) => {
      for (const [, send] of inBothEras({ method })) {
        const response = await send();
        expect(response.status).toBe(400);
        expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32600 } });
      }
    },
  );

  test.for(shown([[], ['a'], 'text', 7, true]))(
    'with the params $text is refused with -32602',
    async ({ value: params }) => {
      for (const [, send] of inBothEras({ params })) {
        const response = await send();
        expect(response.status).toBe(400);
        expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32602 } });
      }
    },
  );

  test('without a method is refused', async () => {
    for (const [, send] of inBothEras({ method: undefined })) {
      const response = await send();
      expect(response.status).toBe(400);
      expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32600 } });
    }
  });

  test('whose params are null is read as one without', async () => {
    const [[, inSession], [, alone]] = inBothEras({ params: null }) as [any, any];
    expect(answerOf(await inSession()).result.tools).toHaveLength(4);
    expect(answerOf(await alone())).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  test.for(['null', 'true', '7', '"text"'])('that is just %s is refused', async body => {
    const response = await exchange(served.port, post(body));
    expect(response.status).toBe(400);
    expect(answerOf(response)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.any(String) },
    });
  });

  test('with __proto__ in it changes no prototype', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"polluted":1},"params":{"__proto__":{"polluted":1}}}';
    expect((await exchange(served.port, post(body, { 'mcp-session-id': session }))).status).toBe(200);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a method', () => {
  test.for(
    shown(['__proto__', 'constructor', 'toString', '', ' ', 'tools/list ', 'TOOLS/LIST', 'a'.repeat(10_000)]),
  )('named $text does not exist', async ({ value: method }) => {
    const inSession = await exchange(served.port, legacy(session, method));
    expect(inSession.status).toBe(200);
    expect(answerOf(inSession)).toMatchObject({ id: 1, error: { code: -32601 } });
    const headers = { 'mcp-method': method.trim() };
    const alone = await exchange(served.port, modern(method, {}, { headers }));
    if (method === method.trim()) {
      expect(alone.status).toBe(404);
      expect(answerOf(alone)).toMatchObject({ id: 1, error: { code: -32601 } });
    } else expect(answerOf(alone)).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  test('of another era does not exist', async () => {
    for (const method of ['ping', 'logging/setLevel', 'resources/subscribe']) {
      const response = await exchange(served.port, modern(method));
      expect(response.status).toBe(404);
      expect(answerOf(response).error.code).toBe(-32601);
    }
  });
});

describe('a tool', () => {
  test.for(['__proto__', 'constructor', 'hasOwnProperty'])('may be called %s', async name => {
    expect(textOf(await exchange(served.port, modern('tools/call', { name })))).toBe(`I am ${name}`);
    expect(textOf(await exchange(served.port, legacy(session, 'tools/call', { name })))).toBe(`I am ${name}`);
  });

  test.for(['toString', 'valueOf', '__defineGetter__', 'nope'])('called %s does not exist', async name => {
    for (const request of [modern('tools/call', { name }), legacy(session, 'tools/call', { name })]) {
      expect(answerOf(await exchange(served.port, request)).error).toMatchObject({ code: -32602 });
    }
  });

  test.for(shown([undefined, null, 7, ['echo'], { toString: 'echo' }]))(
    'named $text is refused: the header with the name is missing, or the name is wrong',
    async ({ value: name }) => {
      const lacksHeader = await exchange(served.port, modern('tools/call', { name }));
      expect(answerOf(lacksHeader).error).toMatchObject({ code: -32020 });
      const lacksName = await exchange(served.port, legacy(session, 'tools/call', { name }));
      expect(answerOf(lacksName).error).toMatchObject({ code: -32602 });
    },
  );

  test.for(shown([[], 'text', 7, true]))(
    'with the arguments $text is refused with -32602',
    async ({ value: args }) => {
      const params = { name: 'echo', arguments: args };
      for (const request of [modern('tools/call', params), legacy(session, 'tools/call', params)]) {
        expect(answerOf(await exchange(served.port, request)).error).toMatchObject({ code: -32602 });
      }
    },
  );
});

describe('what is no request', () => {
  test('a response to a question that was not asked is refused in a session and changes nothing', async () => {
    for (const outcome of [{ result: {} }, { error: { code: -1, message: 'no' } }]) {
      const message = { jsonrpc: '2.0', id: 99, ...outcome };
      const response = await exchange(served.port, post(message, { 'mcp-session-id': session }));
      expect(response.status).toBe(400);
      expect(answerOf(response).error.message).toBe('this server did not ask question 99');
    }
  });

  test('an error that could not name its request is accepted in a session', async () => {
    for (const id of [undefined, null]) {
      const message = { jsonrpc: '2.0', id, error: { code: -32700, message: 'parse error' } };
      const response = await exchange(served.port, post(message, { 'mcp-session-id': session }));
      expect([response.status, response.body]).toEqual([202, '']);
    }
  });

  test('a response outside of a session is refused', async () => {
    const response = await exchange(served.port, post({ jsonrpc: '2.0', id: 1, result: {} }));
    expect(response.status).toBe(400);
  });

  test.for(
    shown([
      { result: 7 },
      { result: null },
      { result: [] },
      { result: {}, error: { code: 1, message: '' } },
      { error: 'text' },
      { error: null },
      { error: { message: 'no code' } },
      { error: { code: 1.5 } },
    ]),
  )(
    'a malformed response $text is refused without its id, which is not one of the client',
    async ({ value: outcome }) => {
      const message = { jsonrpc: '2.0', id: 5, ...outcome };
      const response = await exchange(served.port, post(message, { 'mcp-session-id': session }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: expect.any(String) },
      });
    },
  );
});

describe('a hostile value', () => {
  test('where a text is expected is refused as invalid, not reported as a failure of the server', async () => {
    const { port, errors } = await serve(server => {
      echoing(server);
      server.resource('a://b', {}, () => 'text');
      server.prompt('p', {}, () => 'text');
    });
    const id = await openSession(port);
    const hostile = { toString: 1, valueOf: 1, length: 1e9, toJSON: 1 };
    const requests: [string, object][] = [
      ['logging/setLevel', { level: hostile }],
      ['resources/read', { uri: hostile }],
      ['resources/subscribe', { uri: hostile }],
      ['prompts/get', { name: hostile }],
      ['prompts/get', { name: 'p', arguments: hostile }],
      ['tools/list', { cursor: hostile }],
      ['tools/call', { name: hostile }],
    ];
    for (const [method, params] of requests) {
      const response = await exchange(port, legacy(id, method, params));
      expect([method, answerOf(response).error?.code]).toEqual([method, -32602]);
    }
    expect(errors).toEqual([]);
  });

  // covers: 2026-07-28/basic/no-assumptions-about-reserved-keys
  test('in the envelope of a modern request is refused as invalid', async () => {
    for (const meta of [
      { 'io.modelcontextprotocol/clientCapabilities': [] },
      { 'io.modelcontextprotocol/clientCapabilities': null },
      { 'io.modelcontextprotocol/clientInfo': 'me' },
      { 'io.modelcontextprotocol/logLevel': 'loud' },
      { 'io.modelcontextprotocol/protocolVersion': { toString: 1 } },
    ]) {
      const response = await exchange(served.port, modern('tools/list', {}, { meta }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toMatchObject({ id: 1, error: { code: -32602 } });
    }
  });

  // covers: 2026-07-28/basic/no-assumptions-about-reserved-keys
  test('as progress token is ignored', async () => {
    for (const progressToken of [{}, null, true, 1.5]) {
      const response = await exchange(
        served.port,
        modern('tools/call', { name: 'echo', arguments: { value: 1 } }, { meta: { progressToken } }),
      );
      expect(textOf(response)).toBe('1');
    }
  });
});

describe('a batch', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  test('is answered in a session of 2025-03-26, each message by itself', async () => {
    const old = await openSession(served.port, { protocolVersion: '2025-03-26' });
    const batch = [
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      7,
      ping(1),
      { jsonrpc: '2.0', id: 'x', method: 5 },
    ];
    const response = await exchange(served.port, post(batch, { 'mcp-session-id': old }));
    expect(response.status).toBe(200);
    expect(answerOf(response)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: -32600, message: expect.any(String) } },
    ]);
  });

  test('of notifications only is accepted without a word', async () => {
    const old = await openSession(served.port, { protocolVersion: '2025-03-26' });
    const batch = [
      { jsonrpc: '2.0', method: 'notifications/x' },
      { jsonrpc: '2.0', method: 'notifications/y', params: {} },
    ];
    const response = await exchange(served.port, post(batch, { 'mcp-session-id': old }));
    expect([response.status, response.body]).toEqual([202, '']);
  });

  test('that is empty, too long, or opens a session is refused as a whole', async () => {
    const old = await openSession(served.port, { protocolVersion: '2025-03-26' });
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    for (const batch of [[], Array.from({ length: 101 }, (_, id) => ping(id)), [ping(1), initialize]]) {
      const response = await exchange(served.port, post(batch, { 'mcp-session-id': old }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: expect.any(String) },
      });
    }
    const hundred = Array.from({ length: 100 }, (_, id) => ping(id));
    expect(answerOf(await exchange(served.port, post(hundred, { 'mcp-session-id': old })))).toHaveLength(100);
  });

  test.for(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'is refused in a session of %s',
    async protocolVersion => {
      const other = await openSession(served.port, { protocolVersion });
      const response = await exchange(served.port, post([ping(1)], { 'mcp-session-id': other }));
      expect(response.status).toBe(400);
      expect(answerOf(response)).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: expect.any(String) },
      });
    },
  );

  test('of modern requests is refused', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: ENVELOPE } };
    const response = await exchange(served.port, post([call], MODERN_HEADERS));
    expect(response.status).toBe(400);
  });
});

test('a listen request with nonsense in its filter is refused', async () => {
  for (const notifications of [
    undefined,
    null,
    [],
    'all',
    { resourceSubscriptions: 'a://b' },
    { toolsListChanged: 1 },
  ]) {
    const response = await exchange(served.port, modern('subscriptions/listen', { notifications }));
    expect([notifications, answerOf(response).error?.code]).toEqual([notifications, -32602]);
  }
});

test('a listen request for what the server does not have ends at once', async () => {
  const stream = await EventStream.open(
    served.port,
    modern('subscriptions/listen', { notifications: { promptsListChanged: true } }, { id: 'l' }),
  );
  const [acknowledged, result] = await stream.rest();
  expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged');
  expect(result).toMatchObject({ id: 'l', result: {} });
});
