import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { initializeRequest, LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { postJson, readAnswer } from '../http/send.js';
import { serve } from '../http/serve.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';

function greeter(): Server {
  const server = new Server({ name: 'greeter', version: '1.0.0' });
  server.tool('greet', {}, () => 'Hello');
  return server;
}

/** A client on stdio that sends one message at a time. */
function openStdio() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = serveStdio(greeter(), { input, output });
  onTestFinished(() => running.close(0));
  return async (message: object): Promise<any> => {
    const answered = new Promise<string>(resolve => output.once('data', chunk => resolve(String(chunk))));
    input.write(`${JSON.stringify(message)}\n`);
    return JSON.parse(await answered);
  };
}

describe('in a session', () => {
  // covers: 2025-06-18/basic/meta-reserved-values-are-not-assumed
  it.each(['2025-06-18', '2026-07-28', '1999-01-01', 5, null])(
    'the reserved key for a version may have the value %j',
    async version => {
      const { url } = await serve(greeter());
      const client = await LegacyClient.open(url);
      const answer = await client.call('greet', {}, { [VERSION]: version, [CAPABILITIES]: {} });
      expect(answer.status).toBe(200);
      expect(answer.result).toEqual({ content: [{ type: 'text', text: 'Hello' }] });
    },
  );

  it.each(['2025-06-18', 5])('on stdio the reserved key may have the value %j', async version => {
    const send = openStdio();
    await send(initializeRequest());
    const params = { name: 'greet', arguments: {}, _meta: { [VERSION]: version } };
    const { result } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Hello' }] });
  });

  it.each(['server/discover', 'subscriptions/listen', 'made/up'])('there is no method %s', async method => {
    const { url } = await serve(greeter());
    const { error } = await (await LegacyClient.open(url)).request(method, {});
    expect(error).toEqual({ code: -32601, message: `method not found: ${method}` });
    const send = openStdio();
    await send(initializeRequest());
    expect((await send({ jsonrpc: '2.0', id: 1, method, params: {} })).error.code).toBe(-32601);
  });
});

// covers: 2025-06-18/basic/meta-reserved-values-are-not-assumed
it.each(['2025-06-18', 5, null])('a handshake may have the reserved key with the value %j', async version => {
  const { url } = await serve(greeter());
  const { params, ...request } = initializeRequest();
  const body = { ...request, params: { ...params, _meta: { [VERSION]: version } } };
  const { result } = await readAnswer(await postJson(url, body));
  expect(result.protocolVersion).toBe('2025-06-18');
});

describe('an envelope without a version is refused as malformed', () => {
  const request = (meta: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: meta },
  });

  // covers: 2026-07-28/basic/missing-meta-is-refused, 2026-07-28/basic/missing-meta-is-400
  it.each([{ [CAPABILITIES]: {} }, { [INFO]: { name: 'x', version: '1' } }])('%j, over HTTP', async meta => {
    const { url } = await serve(greeter());
    const answer = await readAnswer(await postJson(url, request(meta), { 'mcp-method': 'tools/list' }));
    expect(answer.status).toBe(400);
    expect(answer.error?.code).toBe(-32602);
    expect(answer.last.id).toBe(1);
  });

  it.each([{ [CAPABILITIES]: {} }, { [INFO]: { name: 'x', version: '1' } }])('%j, on stdio', async meta => {
    expect((await openStdio()(request(meta))).error.code).toBe(-32602);
  });
});

// covers: 2026-07-28/streamable-http/header-failure-is-32020
it('a call that names its tool neither in the body nor in a header lacks the header', async () => {
  const { url } = await serve(greeter());
  const answer = await new ModernClient(url).request('tools/call', { arguments: {} });
  expect(answer.status).toBe(400);
  expect(answer.error).toEqual({ code: -32020, message: 'the Mcp-Name header is missing' });
});
