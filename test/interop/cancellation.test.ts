import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test, vi } from 'vitest';
import { openBistro } from './bistro.js';
import { CLIENT_INFO } from './host.js';

const COOK = { name: 'cook', arguments: { dish: 'quiche' } };

/**
 * Both clients come back for the rest of a stream that ended without an answer, as that of a cancelled call does,
 * and they would do so for ever.
 */
describe.concurrent('a client that comes back for the stream of a cancelled call', () => {
  test('is told to stop: v1', async () => {
    const bistro = await openBistro();
    const { fetch, resumed } = watchResumption();
    const client = new ClientV1(CLIENT_INFO);
    await client.connect(new TransportV1(bistro.url, { fetch }));
    await cancelled(options => client.callTool(COOK, undefined, options));
    await vi.waitFor(() => expect(resumed).toEqual([204]), { timeout: 5_000 });
    await client.close();
    await bistro.close();
  });

  test('is told to stop: v2', async () => {
    const bistro = await openBistro();
    const { fetch, resumed } = watchResumption();
    const client = new ClientV2(CLIENT_INFO);
    await client.connect(new TransportV2(bistro.url, { fetch }));
    await cancelled(options => client.callTool(COOK, options));
    await vi.waitFor(() => expect(resumed).toEqual([204]), { timeout: 5_000 });
    await client.close();
    await bistro.close();
  });
});

async function cancelled(
  call: (options: { signal: AbortSignal; onprogress: () => void }) => Promise<unknown>,
): Promise<void> {
  const cancel = new AbortController();
  await expect(call({ signal: cancel.signal, onprogress: () => cancel.abort() })).rejects.toThrow();
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
