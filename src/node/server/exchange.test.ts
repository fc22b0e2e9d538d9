import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HandlerOptions } from '../../server/http/handler.js';
import { Server } from '../../server/server.js';
import { nodeHandler } from './handler.js';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
};

function call(text: string): string {
  const params = { name: 'echo', arguments: { text }, _meta: META };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

async function open(options: HandlerOptions = {}) {
  const server = new Server({ name: 'echo', version: '1.0.0' });
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const;
  server.tool('echo', { input }, ({ text }) => text ?? '');
  const handler = nodeHandler(server, options);
  const responses: ServerResponse[] = [];
  const http = createServer((request, response) => {
    responses.push(response);
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, port, responses };
}

/** Writes a request by hand, down to the last byte. */
async function writeRaw(
  port: number,
  headers: Record<string, string>,
  ...body: (string | Buffer)[]
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...HEADERS, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  for (const part of body) socket.write(part);
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\r\n')) break;
  }
  return Number(text.split(' ')[1]);
}

describe('the body of a request', () => {
  // covers: 2026-07-28/transports/messages-are-utf-8
  test('is read as UTF-8, also where a character is split between packets', async () => {
    const { port } = await open();
    const body = Buffer.from(call('Zoë 🎈'));
    const cut = body.indexOf(0xf0) + 2;
    const socket = await writeRaw(port, { 'content-length': String(body.length) }, body.subarray(0, cut));
    await new Promise(resolve => setImmediate(resolve));
    socket.write(body.subarray(cut));
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk;
      if (text.includes('🎈')) break;
    }
    expect(text).toContain('Zoë 🎈');
  });

  // covers: 2025-06-18/transports/server-messages-are-utf-8
  test('is refused with 400 when it is not UTF-8', async () => {
    const { url } = await open();
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: 'the body is not valid UTF-8' } });
  });

  test('is refused with 413 when its length is too large, before it is read', async () => {
    const { port } = await open({ maxBodyBytes: 1000 });
    const socket = await writeRaw(port, { 'content-length': '1000000000' }, 'x');
    expect(await statusOf(socket)).toBe(413);
    socket.destroy();
  });

  test('is refused with 413 when it grows too large without having said so', async () => {
    const { port } = await open({ maxBodyBytes: 1000 });
    const chunk = `200\r\n${'x'.repeat(512)}\r\n`;
    const socket = await writeRaw(port, { 'transfer-encoding': 'chunked' }, chunk, chunk, chunk);
    expect(await statusOf(socket)).toBe(413);
    socket.destroy();
  });

  test('may be as large as the limit and no larger', async () => {
    const body = call('x');
    const { url } = await open({ maxBodyBytes: body.length });
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body: call('xx') })).status).toBe(413);
  });

  test('leaves the connection usable when it was refused', async () => {
    const { port } = await open({ maxBodyBytes: 1000 });
    const large = 'x'.repeat(5000);
    const socket = await writeRaw(port, { 'content-length': String(large.length) }, large);
    const small = call('still here');
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...HEADERS }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${small.length}\r\n\r\n${small}`,
    );
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk;
      if (text.includes('still here')) break;
    }
    expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /);
  });

  test('that ends early is nobody else’s problem', async () => {
    const { url, port, responses } = await open();
    const socket = await writeRaw(port, { 'content-length': '1000' }, '{"jsonrpc":');
    await expect.poll(() => responses.length).toBe(1);
    const closed = once(responses[0] as ServerResponse, 'close');
    socket.destroy();
    await closed;
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body: call('fine') })).status).toBe(200);
  });

  test('that never comes, because the client left while it was authenticated, ends the request all the same', async () => {
    let arrive!: () => void;
    let identify!: () => void;
    const arrived = new Promise<void>(resolve => {
      arrive = resolve;
    });
    const identified = new Promise<void>(resolve => {
      identify = resolve;
    });
    const { url, port, responses } = await open({
      async authenticate() {
        arrive();
        await identified;
        return undefined;
      },
    });
    const body = call('anybody there?');
    const socket = await writeRaw(port, { 'content-length': String(body.length) }, body);
    await arrived;
    const closed = once(responses[0] as ServerResponse, 'close');
    socket.destroy();
    await closed;
    identify();
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body: call('yes') })).status).toBe(200);
  });
});
