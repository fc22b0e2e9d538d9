import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { answerOf, LEGACY, legacy, MODERN, modern, openSession, post, shown, textOf } from './messages.js';
import { exchange, type RawRequest } from './raw-http.js';
import { echoing } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

let served: RunningHttpServer;
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
  served = await listen(server, { port: 0, keys: freshKeys() });
  return () => served.close(0);
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
