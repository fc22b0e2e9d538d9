import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/protocol/service.js';
import { type NotificationHandler, Server } from '../../src/server/index.js';
import type { RpcMessage } from '../http/event-stream.js';
import { initializeRequest, LegacyClient } from '../http/legacy-client.js';
import { envelope } from '../http/modern-client.js';
import { postJson, postStream, readAnswer } from '../http/send.js';
import { serve } from '../http/serve.js';

const METHOD = 'notifications/acme/note';
type Sender = Parameters<NotificationHandler>[1];

function listening(): { server: Server; heard: Promise<Sender> } {
  const server = new Server({ name: 'x', version: '1' });
  const heard = new Promise<Sender>(resolve => server.notification(METHOD, (_params, from) => resolve(from)));
  return { server, heard };
}

/** A pipe to a server in this process, and everything that comes out of it. */
async function openPipe(server: Server) {
  const received: RpcMessage[] = [];
  const waiting: (() => void)[] = [];
  const pipe = server[SERVICE].openPipe();
  await pipe.start(
    text => {
      received.push(JSON.parse(text));
      for (const wake of waiting.splice(0)) wake();
    },
    () => {},
  );
  return {
    received,
    send: (message: object) => pipe.send(JSON.stringify({ jsonrpc: '2.0', ...message })),
    async until(count: number) {
      while (received.length < count) await new Promise<void>(resolve => waiting.push(resolve));
    },
  };
}

describe('a notification of 2026-07-28', () => {
  const note = { jsonrpc: '2.0', method: METHOD, params: { _meta: envelope() } };

  // covers: 2026-07-28/transports/all-messages-are-delivered
  it('reaches its handler over HTTP, with the client that its envelope names, and the caller', async () => {
    const { server, heard } = listening();
    const { url } = await serve(server, { authenticate: () => ({ principal: 'ada' }) });
    const { status } = await postJson(url, note, { 'mcp-protocol-version': '2026-07-28' });
    expect(status).toBe(202);
    expect(await heard).toEqual({
      client: { info: { name: 'raw', version: '1.0.0' }, capabilities: {} },
      session: undefined,
      caller: { principal: 'ada' },
    });
  });

  it('needs neither an envelope nor more than the version header', async () => {
    const { server, heard } = listening();
    const { url } = await serve(server);
    const bare = { jsonrpc: '2.0', method: METHOD };
    expect((await postJson(url, bare, { 'mcp-protocol-version': '2026-07-28' })).status).toBe(202);
    expect((await heard).client).toEqual({ info: undefined, capabilities: {} });
  });

  // covers: 2026-07-28/streamable-http/refused-notification-has-an-error-status
  it.each([
    ['a header that differs from it', { 'mcp-protocol-version': '2025-06-18' }, {}, -32020],
    ['an unknown version', {}, { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }, -32022],
    ['capabilities that are none', {}, { 'io.modelcontextprotocol/clientCapabilities': 1 }, -32602],
  ])('is refused if its envelope has %s', async (_what, headers, meta, code) => {
    const { url } = await serve(listening().server);
    const body = { jsonrpc: '2.0', method: METHOD, params: { _meta: { ...envelope(), ...meta } } };
    const { status, error, last } = await readAnswer(await postJson(url, body, headers));
    expect([status, error?.code, last.id]).toEqual([400, code, undefined]);
  });

  // covers: 2026-07-28/transports/all-messages-are-delivered
  it.each([
    ['with its envelope', note.params],
    ['without one', {}],
  ])('reaches its handler on a pipe %s', async (_how, params) => {
    const { server, heard } = listening();
    const pipe = await openPipe(server);
    await pipe.send({ method: METHOD, params });
    expect((await heard).session).toBeUndefined();
  });
});

// covers: 2026-07-28/basic/notification-gets-no-response
it('a malformed notification on a pipe is not answered', async () => {
  const pipe = await openPipe(new Server({ name: 'x', version: '1' }));
  await pipe.send({ method: METHOD, params: 5 });
  await pipe.send({ jsonrpc: '1.0', method: METHOD });
  await pipe.send({ id: 1, method: 'ping' });
  await pipe.until(1);
  expect(pipe.received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

describe('a question', () => {
  const CALL = { id: 7, method: 'tools/call', params: { name: 'folders' } };
  const hello = initializeRequest({ capabilities: { roots: {} } });
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

  /** A server whose tool logs something before it asks. */
  function asker(): Server {
    const server = new Server({ name: 'x', version: '1' });
    server.tool('folders', {}, async (_args, ctx) => {
      ctx.log.warning('before');
      return String((await ctx.roots()).length);
    });
    return server;
  }

  it('waits on a pipe until the client has sent notifications/initialized', async () => {
    const pipe = await openPipe(asker());
    await pipe.send(hello);
    await pipe.until(1);
    await pipe.send(CALL);
    await pipe.send({ id: 8, method: 'ping' });
    await pipe.until(3);
    expect(pipe.received.map(({ method, id }) => method ?? id)).toEqual([0, 'notifications/message', 8]);
    await pipe.send(initialized);
    await pipe.until(4);
    expect(pipe.received[3]?.method).toBe('roots/list');
  });

  it('waits over HTTP as well', async () => {
    const { url } = await serve(asker());
    const { headers } = await readAnswer(await postJson(url, hello));
    const session = { 'mcp-session-id': headers.get('mcp-session-id') as string };
    const stream = await postStream(url, { jsonrpc: '2.0', ...CALL }, session);
    expect((await stream.message()).method).toBe('notifications/message');
    await postJson(url, { jsonrpc: '2.0', id: 8, method: 'ping' }, session);
    expect(stream.events.filter(({ data }) => data)).toHaveLength(1);
    await postJson(url, initialized, session);
    const question = await stream.message();
    expect(question.method).toBe('roots/list');
    await postJson(url, { jsonrpc: '2.0', id: question.id, result: { roots: [] } }, session);
    expect((await stream.message()).result.content[0].text).toBe('0');
  });
});

describe('a request of a session', () => {
  it('stays one if its _meta repeats the revision of the session', async () => {
    const server = new Server({ name: 'x', version: '1' });
    server.tool('who', {}, (_args, ctx) => ctx.revision);
    const client = await LegacyClient.open((await serve(server)).url);
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2025-06-18' };
    expect((await client.call('who', {}, meta)).result.content[0].text).toBe('2025-06-18');
  });
});

it('over HTTP the title of a client reaches the handlers', async () => {
  const server = new Server({ name: 'x', version: '1' });
  server.tool('who', {}, (_args, ctx) => JSON.stringify(ctx.client.info));
  const { url } = await serve(server);
  const clientInfo = { name: 'raw', version: '1', title: 'Raw', websiteUrl: 'https://raw.example/' };
  const body = { ...hello(), params: { ...hello().params, clientInfo } };
  const { headers } = await readAnswer(await postJson(url, body));
  const session = { 'mcp-session-id': headers.get('mcp-session-id') as string };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } };
  const { result } = await readAnswer(await postJson(url, call, session));
  expect(JSON.parse(result.content[0].text)).toEqual(clientInfo);
});

function hello() {
  return initializeRequest();
}
