import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../node/client/index.js';

const onElicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } });

describe('a server that asks on a stream of its own', () => {
  test('gets an answer', async () => {
    const server = await serve();
    const client = await connected(server.url, { onElicit });
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'hello Ada' }] });
  });

  test('gets an answer in a session that has taken the place of a lost one', async () => {
    const server = await serve();
    const client = await connected(server.url, { onElicit });
    await client.callTool('greet');
    server.forgetSessions();
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'hello Ada' }] });
    expect(server.seen.filter(what => what === 'initialize')).toHaveLength(2);
  });

  test('is not listened to by a client that would not answer', async () => {
    const server = await serve();
    const client = await connected(server.url);
    await client.callTool('plain');
    expect(server.seen).not.toContain('GET');
  });

  test.for([404, 405, 500])('is asked once for the stream if it has none (%i)', async status => {
    const server = await serve(response => response.writeHead(status).end());
    const client = await connected(server.url, { onElicit });
    for (let call = 0; call < 3; call++) await client.callTool('plain');
    expect(server.seen.filter(what => what === 'GET' || what === 'initialize')).toEqual([
      'initialize',
      'GET',
    ]);
  });

  test('keeps nobody waiting if it does not say that the stream is open', { timeout: 30_000 }, async () => {
    const server = await serve(() => {});
    const client = await connected(server.url, { onElicit });
    await client.callTool('plain');
    expect(server.seen).toContain('GET');
  });
});

async function connected(url: string, options: Parameters<typeof connect>[1] = {}) {
  const client = await connect(url, { revision: '2025-11-25', ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A server by hand. Its tool `greet` asks for a name, and asks nobody if no stream is open. */
async function serve(onGet?: (response: ServerResponse) => void) {
  const seen: string[] = [];
  const streams = new Map<string, ServerResponse | undefined>();
  const waiting = new Map<string, (answer: any) => void>();

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = body === '' ? undefined : JSON.parse(body);
    const session = request.headers['mcp-session-id'] as string | undefined;
    seen.push(message?.method ?? request.method);
    const answer = (result: object, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    const accept = () => response.writeHead(202).end();

    if (message?.method === 'initialize') {
      const id = `session-${seen.length}`;
      streams.set(id, undefined);
      const serverInfo = { name: 'by-hand', version: '1' };
      const protocolVersion = message.params.protocolVersion;
      answer({ protocolVersion, capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': id });
    } else if (session === undefined || !streams.has(session)) {
      response.writeHead(404).end();
    } else if (request.method === 'GET') {
      if (onGet) return onGet(response);
      streams.set(session, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    } else if (message?.method === 'tools/call') {
      if (message.params.name === 'plain') return answer({ content: [] });
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const params = { message: 'Who are you?', requestedSchema };
      const question = { jsonrpc: '2.0', id: session, method: 'elicitation/create', params };
      waiting.set(session, ({ result }) =>
        answer({ content: [{ type: 'text', text: `hello ${result.content.name}` }] }),
      );
      streams.get(session)?.write(`data: ${JSON.stringify(question)}\n\n`);
    } else {
      if (message?.result) waiting.get(session)?.(message);
      accept();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const forgetSessions = () => streams.clear();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, forgetSessions };
}
