import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Client, connect } from '../../src/client/index.js';
import { nodeHandler } from '../../src/node/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { connectTest, textOf } from '../../src/testing/index.js';
import { freshKeys } from '../keys.js';
import { envelope } from './modern-client.js';

const storage = new AsyncLocalStorage<string>();
const keys = freshKeys();
const user = () => storage.getStore() ?? 'nobody';

function createBistro(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('whoami', {}, user);
  server.tool('order', { input: z.object({ dish: z.string() }), authorize: async () => true }, user);
  server.tool('reserve', {}, async (_args, ctx) => {
    const asked = user();
    await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
    return `${asked} ${await ctx.step('hold', user)} ${user()}`;
  });
  server.resource('menu://today', { name: 'Menu' }, user);
  server.prompt('review', {}, user);
  return server;
}

/** What the handlers of a server find in the storage. */
async function findUsers(client: Client): Promise<string[]> {
  const order = await client.callTool('order', { dish: 'soup' });
  const found = [
    textOf(await client.callTool('whoami')),
    textOf(order),
    textOf(await client.callTool('reserve')),
    textOf(await client.readResource('menu://today')),
    textOf(await client.getPrompt('review')),
  ];
  await client.close();
  return found.flatMap(text => text.split(' '));
}

const onElicit = () => ({ action: 'accept', content: { guests: 2 } }) as const;
const ada = new Array(7).fill('ada');

describe.each(['2025-11-25', '2026-07-28'])('handlers of %s find the asynchronous context', revision => {
  test('in which the handler for fetch was called', async () => {
    const handler = fetchHandler(createBistro(), { keys });
    const fetch = (...args: Parameters<typeof globalThis.fetch>) =>
      storage.run('ada', () => handler(new Request(...args)));
    expect(await findUsers(await connect('http://localhost/mcp', { revision, fetch, onElicit }))).toEqual(
      ada,
    );
  });

  test('in which the handler for Node was called', async () => {
    const url = await serve(createBistro());
    expect(await findUsers(await connect(url, { revision, onElicit }))).toEqual(ada);
  });

  test('in which middleware calls `next`', async () => {
    const server = createBistro();
    server.use((_call, next) => storage.run('ada', next));
    expect(await findUsers(await connectTest(server, { revision, onElicit }))).toEqual(ada);
  });
});

test('a handler finds the asynchronous context of a request whose body arrives in pieces', async () => {
  const server = createBistro();
  const url = await serve(server);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'whoami', _meta: envelope() },
  });
  const sent = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    },
  });
  const answered = once(sent, 'response');
  sent.write(body.slice(0, 10));
  await arrival;
  sent.end(body.slice(10));
  const [response] = await answered;
  expect(await json(response)).toMatchObject({ result: { content: [{ type: 'text', text: 'ada' }] } });
});

/** Settles with the first request. */
let arrival: Promise<unknown>;

async function serve(server: Server): Promise<string> {
  const handler = nodeHandler(server, { keys });
  const http = createServer((...args) => storage.run('ada', () => handler(...args))).listen(0, '127.0.0.1');
  arrival = once(http, 'request');
  onTestFinished(() => void http.close().closeAllConnections());
  await once(http, 'listening');
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}
