import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { initializeRequest } from '../http/legacy-client.js';
import { serve } from '../http/serve.js';
import { SseClient } from '../http/sse-client.js';
import { Lines } from './lines.js';

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const pings = (count: number) => Array.from({ length: count }, (_, n) => ping(`p${n}`));
const initialize = (revision: string, id: string | number = 0) => ({
  ...initializeRequest({ revision }),
  id,
});

/** Sends lines to a server on a pipe after the handshake, then a ping, and returns what came before its answer. */
async function sent(revision: string | undefined, ...messages: unknown[]) {
  const warnings: string[] = [];
  const server = new Server({ name: 'x', version: '1' }, { onWarning: warning => warnings.push(warning) });
  server.tool('a', {}, () => 'x');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { input, output });
  onTestFinished(() => serving.close(0));
  const lines = new Lines(output);
  const write = (message: unknown) => input.write(`${JSON.stringify(message)}\n`);
  if (revision) {
    write(initialize(revision));
    await lines.until(line => line.includes('protocolVersion'));
    write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const known = lines.all.length;
  for (const message of messages) write(message);
  write(ping('end'));
  await lines.until(line => line.includes('"end"'));
  const answers = lines.all.slice(known).map(line => JSON.parse(line));
  return { answers: answers.filter(({ id }) => id !== 'end'), warnings };
}

describe('a batch that is refused on a pipe', () => {
  it('for its size is answered with a batch of an error for each request', async () => {
    const { answers, warnings } = await sent('2025-03-26', pings(101));
    expect(answers).toHaveLength(1);
    expect(answers[0].map(({ id }: { id: string }) => id)).toEqual(pings(101).map(({ id }) => id));
    for (const { error } of answers[0])
      expect(error).toEqual({ code: -32600, message: 'a batch must not have more than 100 messages' });
    expect(warnings).toEqual([]);
  });

  it('because it opens a session is answered under every id', async () => {
    const { answers, warnings } = await sent('2025-03-26', [ping('k'), initialize('2025-03-26', 'l')]);
    const error = { code: -32600, message: 'initialize must not be part of a batch' };
    expect(answers).toEqual([['k', 'l'].map(id => ({ jsonrpc: '2.0', id, error }))]);
    expect(warnings).toEqual([]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25', undefined])(
    'by revision %s, which has none, gets an error for each request',
    async revision => {
      const { answers, warnings } = await sent(revision, [ping(1), ping('two')]);
      const error = { code: -32600, message: 'this connection speaks no revision that has batches' };
      expect(answers).toEqual([1, 'two'].map(id => ({ jsonrpc: '2.0', id, error })));
      expect(warnings).toEqual([]);
    },
  );

  it('gets no error for what is no request, or has no readable id', async () => {
    const others = [
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', method: 'notifications/acme/note' },
      ping(1.5),
      { jsonrpc: '2.0', id: 8, error: 'none' },
    ];
    const { answers } = await sent('2025-03-26', [...others, ...pings(100)]);
    expect(answers[0].map(({ id }: { id: unknown }) => id)).toEqual(pings(100).map(({ id }) => id));
  });

  it('is left out if no id in it can be read, and the operator is told', async () => {
    const { answers, warnings } = await sent('2025-03-26', []);
    expect(answers).toEqual([]);
    expect(warnings).toEqual([
      'a message has no readable id, so 2025-03-26 has no answer to it; it was left out: a batch must not be empty',
    ]);
  });
});

describe('a batch that is refused over HTTP+SSE', () => {
  async function open(revision: string) {
    const { url } = await serve(new Server({ name: 'x', version: '1' }), { sse: true });
    const client = await SseClient.connect(new URL('/sse', url).href);
    await client.post(initialize(revision));
    await client.stream.message();
    return client;
  }

  it('is answered on the stream under every id', async () => {
    const client = await open('2025-03-26');
    expect((await client.post(pings(101))).status).toBe(202);
    const answers = (await client.stream.message()) as unknown as { id: string }[];
    expect(answers.map(({ id }) => id)).toEqual(pings(101).map(({ id }) => id));
  });

  it('is refused with 400 if nothing in it can be read', async () => {
    const client = await open('2025-03-26');
    for (const batch of [[], [ping(1.5)]]) expect((await client.post(batch)).status).toBe(400);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'is refused with 400 by revision %s',
    async revision => {
      const client = await open(revision);
      const response = await client.post([ping(1)]);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        error: { code: -32600, message: 'this connection speaks no revision that has batches' },
      });
      await client.post(ping(2));
      expect((await client.stream.message()).id).toBe(2);
    },
  );
});
