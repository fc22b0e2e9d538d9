import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serviceOf } from '../../protocol/service.js';
import { Server } from '../../server/server.js';
import { createNodeHandler } from './handler.js';

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'greet',
};
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'greet',
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

test.each(['sync', 'async'])(
  'a call that a %s handler answers at once is never held among the open requests',
  async kind => {
    const server = new Server({ name: 'greeter', version: '1.0.0' });
    server.tool('greet', {}, kind === 'sync' ? () => 'hello' : async () => 'hello');
    const { serve, requests } = createNodeHandler(serviceOf(server, 'test'), {});
    const http = createServer().listen(0, '127.0.0.1');
    const afterTurn = new Promise(resolve => {
      http.on('request', (request, response) => {
        const { socket } = request;
        serve(request, response);
        setImmediate(() => resolve({ isEnded: response.writableEnded, isBusy: requests.isBusy(socket) }));
      });
    });
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: HEADERS,
      body: BODY,
    });
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'hello' }] } });
    expect(await afterTurn).toEqual({ isEnded: true, isBusy: false });
  },
);
