import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Traffic } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { REVISIONS } from '../../src/revisions/index.js';
import { Server } from '../../src/server/index.js';

function createServer(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('reserve', {}, async (_, ctx) => {
    const { action } = await ctx.elicit('How many?', z.object({ guests: z.number() }));
    return action;
  });
  return server;
}

const SINCE_FORMS = REVISIONS.map(({ name }) => name).filter(name => name >= '2025-06-18');

it.each(SINCE_FORMS)(
  'onMessage sees every message of a call with a question, in order, on %s',
  async revision => {
    const { url, close } = await listen(createServer(), { port: 0 });
    onTestFinished(() => close(0));
    const seen: Traffic[] = [];
    const client = await connect(url, {
      revision,
      onMessage: traffic => seen.push(traffic),
      onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
    });
    onTestFinished(() => client.close());
    await client.callTool('reserve');

    const isStateless = client.revision === '2026-07-28';
    expect(seen.map(describe)).toEqual(
      isStateless
        ? [
            'sent server/discover',
            'received result',
            'sent tools/list',
            'received result',
            'sent tools/call',
            'received result',
            'sent tools/call',
            'received result',
          ]
        : [
            'sent initialize',
            'received result',
            'sent notifications/initialized',
            'sent tools/call',
            'received elicitation/create',
            'sent result',
            'received result',
          ],
    );
    const call = seen.find(traffic => describe(traffic) === 'sent tools/call');
    expect(call).toMatchObject({ headers: { 'mcp-protocol-version': revision } });
  },
);

it('onMessage sees no headers where the transport has none', async () => {
  const seen: Traffic[] = [];
  const client = await connect(createServer(), { onMessage: traffic => seen.push(traffic) });
  onTestFinished(() => client.close());
  await client.tools();
  expect(seen.map(describe)).toContain('sent tools/list');
  expect(seen.filter(traffic => 'headers' in traffic)).toEqual([]);
});

it('onMessage sees errors with the HTTP status that they came with', async () => {
  const { url, close } = await listen(createServer(), { port: 0 });
  onTestFinished(() => close(0));
  const seen: Traffic[] = [];
  const client = await connect(url, { onMessage: traffic => seen.push(traffic) });
  onTestFinished(() => client.close());
  await expect(client.request('acme/unknown')).rejects.toThrow();
  expect(seen.at(-1)).toMatchObject({
    direction: 'received',
    status: 404,
    message: { jsonrpc: '2.0', error: { code: -32601 } },
  });
});

it('onMessage sees that a request gets no answer, and an error in it breaks nothing', async () => {
  const { url, close } = await listen(createServer(), { port: 0 });
  const seen: Traffic[] = [];
  const warnings: string[] = [];
  const client = await connect(url, {
    onMessage: traffic => {
      seen.push(traffic);
      throw new Error('the log is full');
    },
    onWarning: warning => warnings.push(warning),
  });
  onTestFinished(() => client.close());
  expect(warnings).toContain('onMessage failed: the log is full');
  await close(0);
  await expect(client.callTool('reserve')).rejects.toThrow();
  expect(seen.at(-1)).toMatchObject({ direction: 'failed', error: { kind: 'connection' } });
});

function describe(traffic: Traffic): string {
  if (traffic.direction === 'failed') return `failed ${traffic.error.message}`;
  const { method, error } = traffic.message;
  return `${traffic.direction} ${method ?? (error ? 'error' : 'result')}`;
}
