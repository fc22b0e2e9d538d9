import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connect } from 'tenon/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bistro } from '../interop/bistro.js';
import { CLIENT_INFO, type Host } from '../interop/host.js';
import { type Knowledge, LEGACY, MODERN, NEWEST_LEGACY } from '../interop/revisions.js';
import { describeBistro } from '../interop/scenario.js';
import { connectV1 } from '../interop/v1.js';
import { connectV2 } from '../interop/v2.js';
import { connectTenon } from '../interop-client/tenon.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import { type ProxiedNodes, startProxiedNodes } from './proxied.js';
import { callModern, HandshakeClient } from './wire.js';

interface Visitor {
  readonly name: string;
  readonly know: Knowledge;
  connect(bistro: Bistro): Promise<Host>;
}

const HTTP = 'Streamable HTTP';

/** Everybody who visits a bistro of three nodes. */
const VISITORS: readonly Visitor[] = [
  ...LEGACY.map(know => ({
    name: `the official client v1 at ${know.revision}`,
    know,
    connect: (bistro: Bistro) => connectV1(HTTP, know.revision, bistro),
  })),
  {
    name: `the official client v2 at ${NEWEST_LEGACY.revision}`,
    know: NEWEST_LEGACY,
    connect: bistro => connectV2(HTTP, { handshake: NEWEST_LEGACY.revision }, bistro),
  },
  {
    name: `the official client v2, left to find out`,
    know: MODERN,
    connect: bistro => connectV2(HTTP, 'auto', bistro),
  },
  {
    name: `our client at ${NEWEST_LEGACY.revision}`,
    know: NEWEST_LEGACY,
    connect: bistro => connectTenon('over Streamable HTTP', NEWEST_LEGACY.revision, bistro),
  },
  {
    name: `our client, left to find out`,
    know: MODERN,
    connect: bistro => connectTenon('over Streamable HTTP', undefined, bistro),
  },
];

const STORES = {
  redis: async () => {
    const redis = await startRedis();
    return { url: redis.url, stop: () => redis.stop() };
  },
  postgres: async () => {
    const postgres = await startPostgres();
    return { url: postgres.connectionString, stop: () => postgres.stop() };
  },
};

for (const [store, start] of Object.entries(STORES)) {
  const canRun = isInstalled(store as keyof typeof STORES) && isInstalled('nginx');
  describe.runIf(canRun)(`three nodes on ${store} behind nginx, which gives requests out in turn`, () => {
    let service: Awaited<ReturnType<typeof start>>;
    let nodes: ProxiedNodes;
    beforeAll(async () => {
      service = await start();
      nodes = await startProxiedNodes(service.url, VISITORS.length + 1);
    });
    afterAll(async () => {
      await nodes?.stop();
      await service?.stop();
    });

    for (const [at, { name, know, connect }] of VISITORS.entries())
      describeBistro(`are one bistro to ${name}`, know, () => connect(nodes.bistros[at] as Bistro));
    describe.concurrent('continue', () => {
      describeResumption(() => nodes.bistros.at(-1) as Bistro);
      describeTill(() => nodes);
    });
  });
}

type OnProgress = (progress: { progress: number }) => void;

/** Calls a tool of a bistro at the newest revision with sessions, and returns the content of the result. */
type Cook = (url: URL, fetch: typeof globalThis.fetch, onProgress: OnProgress) => Promise<unknown>;

const COOKS: Record<string, Cook> = {
  'the official client v1': async (url, fetch, onprogress) => {
    const client = new ClientV1(CLIENT_INFO);
    await client.connect(new HttpV1(url, { fetch }));
    const { content } = await client.callTool(COOK, undefined, { onprogress });
    await client.close();
    return content;
  },
  'the official client v2': async (url, fetch, onprogress) => {
    const client = new ClientV2(CLIENT_INFO);
    await client.connect(new HttpV2(url, { fetch }));
    const { content } = await client.callTool(COOK, { onprogress });
    await client.close();
    return content;
  },
  'our client': async (url, fetch, onProgress) => {
    const client = await connect(url, { fetch, revision: NEWEST_LEGACY.revision });
    const { content } = await client.callTool(COOK.name, COOK.arguments, { onProgress });
    await client.close();
    return content;
  },
};

function describeResumption(bistro: () => Bistro): void {
  for (const [client, cook] of Object.entries(COOKS))
    test(`a broken stream of ${client}`, async () => {
      const cut = cutOnce();
      const progress: number[] = [];
      const content = await cook(bistro().url, cut.fetch, each => void progress.push(each.progress));
      expect(content).toMatchObject([{ text: expect.stringContaining('is served: crepe') }]);
      expect(progress).toEqual([0, 1, 2]);
      expect(cut.resumed).toEqual([200]);
    });
}

const COOK = { name: 'cook', arguments: { dish: 'crepe' } };

function describeTill(nodes: () => ProxiedNodes): void {
  test('a session at every node', async () => {
    const client = await HandshakeClient.open(nodes().till);
    const pids = new Set<string>();
    while (pids.size < 3) pids.add(await client.text(nodes().till, 'node'));
  });

  test('the values of a session', async () => {
    const client = await HandshakeClient.open(nodes().till);
    const counts: string[] = [];
    for (let at = 0; at < 6; at++) counts.push(await client.text(nodes().till, 'count'));
    expect(counts).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('no session that was ended', async () => {
    const client = await HandshakeClient.open(nodes().till);
    for (let at = 0; at < 3; at++) await client.text(nodes().till, 'node');
    expect((await client.delete(nodes().till)).status).toBe(204);
    for (let at = 0; at < 3; at++)
      expect((await client.post(nodes().till, { id: 'ping', method: 'ping' })).status).toBe(404);
  });

  test('a round once', async () => {
    const { result } = await callModern(nodes().till, 'pay');
    const { inputRequests, requestState } = result as Record<string, any>;
    const accept = { action: 'accept', content: {} };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, accept]));
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => callModern(nodes().till, 'pay', { requestState, inputResponses })),
    );
    expect(nodes().payments()).toEqual(['accept']);
    const refused = answers.filter(({ error }) => error);
    expect(refused.map(({ error }) => error?.code)).toEqual(Array(8).fill(-32602));
  });
}

/** A `fetch` that breaks the first response with progress after that, and notes how the stream was resumed. */
function cutOnce(): { fetch: typeof fetch; resumed: number[] } {
  const resumed: number[] = [];
  let isCut = false;
  return {
    resumed,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (new Headers(init?.headers).has('last-event-id')) resumed.push(response.status);
      const isCall = init?.method === 'POST' && String(init.body).includes('tools/call');
      if (isCut || !isCall || !response.body) return response;
      isCut = true;
      return new Response(response.body.pipeThrough(breakAfterProgress()), response);
    },
  };
}

function breakAfterProgress(): TransformStream<Uint8Array, Uint8Array> {
  let seen = '';
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      seen += Buffer.from(chunk).toString();
      if (!/notifications\/progress.*\n\n/.test(seen)) return;
      // The chunk is read before the stream breaks.
      setImmediate(() => controller.error(new TypeError('terminated')));
    },
  });
}
