import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError, Server } from 'tenon';
import { listen, type RunningHttpServer } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLIENT_INFO } from './host.js';

/**
 * Both clients come back for the rest of a stream that ended without a result: after a call that they cancelled
 * themselves, and v1 even after an error. An empty stream would bring them back for ever.
 */
describe.concurrent('a client that comes back for a stream that is over', () => {
  let listening: RunningHttpServer;
  beforeAll(async () => {
    listening = await listen(createServer(), { port: 0 });
  });
  afterAll(() => listening.close());

  test('is told not to, after a call that was cancelled: v1', async () => {
    const { client, resumed } = await connectV1(listening.url);
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.callTool({ name: 'wait' }, undefined, options)).rejects.toThrow();
    await vi.waitFor(() => expect(resumed).toEqual([204]), { timeout: 120_000 });
    await client.close();
  });

  test('is told not to, after a call that was cancelled: v2', async () => {
    const { fetch, resumed } = watchResumption();
    const client = new ClientV2(CLIENT_INFO);
    await client.connect(new TransportV2(new URL(listening.url), { fetch }));
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.callTool({ name: 'wait' }, options)).rejects.toThrow();
    await vi.waitFor(() => expect(resumed).toEqual([204]), { timeout: 120_000 });
    await client.close();
  });

  test('is told not to, after a call that failed: v1', async () => {
    const { client, resumed } = await connectV1(listening.url);
    await expect(client.callTool({ name: 'fail' })).rejects.toThrow('it failed');
    await vi.waitFor(() => expect(resumed).toEqual([204]), { timeout: 120_000 });
    await client.close();
  });
});

function createServer(): Server {
  const server = new Server({ name: 'streams', version: '1.0.0' });
  server.tool('wait', {}, (_args, ctx) => {
    ctx.progress(1);
    return new Promise((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
    });
  });
  server.tool('fail', {}, (_args, ctx) => {
    ctx.log.warning('this will not end well');
    throw new McpError(-32000, 'it failed');
  });
  return server;
}

async function connectV1(url: string): Promise<{ client: ClientV1; resumed: number[] }> {
  const { fetch, resumed } = watchResumption();
  const client = new ClientV1(CLIENT_INFO);
  await client.connect(new TransportV1(new URL(url), { fetch }));
  return { client, resumed };
}

/** A `fetch` that remembers how each attempt to resume a stream was answered. */
function watchResumption(): { fetch: typeof fetch; resumed: number[] } {
  const resumed: number[] = [];
  return {
    resumed,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (new Headers(init?.headers).has('last-event-id')) resumed.push(response.status);
      return response;
    },
  };
}
