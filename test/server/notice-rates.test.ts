import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { EventStream, legacy, modern, openSession } from '../faults/messages.js';
import { createGate } from '../http/gate.js';
import { LegacyClient } from '../http/legacy-client.js';
import { serve } from '../http/serve.js';

const COUNT = 5000;
const META = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };

/** A server whose tools say more at once than is sent. Those that pause end when `gate` is open. */
function talkative(options: ServerOptions = {}) {
  const gate = createGate();
  const server = new Server({ name: 'talkative', version: '1.0.0' }, options);
  server.tool('count', { input: { type: 'object' } }, async ({ pauses }: { pauses?: boolean }, ctx) => {
    for (let n = 1; n <= COUNT; n++) ctx.progress(n);
    if (pauses) await gate.passed;
    return 'counted';
  });
  server.tool('talk', { input: { type: 'object' } }, async ({ pauses }: { pauses?: boolean }, ctx) => {
    for (let n = 1; n <= COUNT; n++) ctx.log.warning(n);
    if (pauses) await gate.passed;
    return 'said';
  });
  return { server, gate };
}

/** Calls a tool and returns its messages, one by one. */
type Call = (server: Server, name: string, pauses: boolean) => Promise<AsyncGenerator<any>>;

const overHttp =
  (era: 'modern' | 'legacy'): Call =>
  async (server, name, pauses) => {
    const { port } = await serve(server);
    const params = { name, arguments: { pauses } };
    const request =
      era === 'modern'
        ? modern('tools/call', params, { meta: META })
        : legacy(await openSession(port), 'tools/call', { ...params, _meta: META });
    const stream = await EventStream.open(port, request);
    return (async function* () {
      for (let message = await stream.next(); message; message = await stream.next()) yield message;
    })();
  };

const overStdio =
  (era: 'modern' | 'legacy'): Call =>
  async (server, name, pauses) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(server, { input, output });
    onTestFinished(() => serving.close(0));
    const messages = lines(output);
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (era === 'legacy') {
      const clientInfo = { name: 'test', version: '1.0.0' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      send({ id: 'initialize', method: 'initialize', params });
      await messages.next();
      send({ method: 'notifications/initialized' });
    }
    const body = JSON.parse(
      String(modern('tools/call', { name, arguments: { pauses } }, { meta: META }).body),
    );
    send(era === 'modern' ? body : { ...body, params: { ...body.params, _meta: { progressToken: 'p' } } });
    return messages;
  };

async function* lines(output: PassThrough): AsyncGenerator<any> {
  for await (const line of createInterface({ input: output })) yield JSON.parse(line);
}

/** The messages up to the result. */
async function untilResult(messages: AsyncGenerator<any>): Promise<any[]> {
  const seen: any[] = [];
  for await (const message of messages) {
    seen.push(message);
    if (message.result) break;
  }
  return seen;
}

const WAYS: [way: string, call: Call][] = [
  ['HTTP, 2026-07-28', overHttp('modern')],
  ['HTTP, a handshake revision', overHttp('legacy')],
  ['stdio, 2026-07-28', overStdio('modern')],
  ['stdio, a handshake revision', overStdio('legacy')],
];

describe.each(WAYS)('over %s', (_, call) => {
  // covers: 2025-06-18/progress/rate-is-limited, 2026-07-28/progress/progress-is-limited
  it('progress above the rate is merged, and the newest comes before the result', async () => {
    const messages = await untilResult(await call(talkative().server, 'count', false));
    expect(messages.pop().result.content[0].text).toBe('counted');
    const progress = messages.map(message => message.params.progress);
    expect(progress.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(progress.at(-1)).toBe(COUNT);
    expect(progress.length).toBeLessThan(COUNT / 2);
  });

  // covers: 2025-06-18/progress/rate-is-limited, 2026-07-28/progress/progress-is-limited
  it('the newest progress arrives also if the handler says nothing more for long', async () => {
    const { server, gate } = talkative({ maxProgressPerSecond: 5 });
    const messages = await call(server, 'count', true);
    let progress = 0;
    while (progress < COUNT) ({ progress } = (await messages.next()).value.params);
    gate.open();
    expect(await untilResult(messages)).toHaveLength(1);
  });

  // covers: 2025-06-18/logging/messages-are-limited, 2025-06-18/logging/rate-is-limited
  // covers: 2026-07-28/logging/messages-are-limited, 2026-07-28/logging/security-limits-the-rate
  it('logs above the rate are left out and counted in one message before the result', async () => {
    const messages = await untilResult(await call(talkative().server, 'talk', false));
    expect(messages.pop().result.content[0].text).toBe('said');
    const { level, logger, data } = messages.pop().params;
    expect([level, logger]).toEqual(['warning', 'tenon']);
    expect(data).toMatch(/^\d+ log messages were left out, .* or than 500 per second$/);
    expect(messages.length + Number.parseInt(data, 10)).toBe(COUNT);
    expect(messages.length).toBeGreaterThanOrEqual(1000);
  });

  it('the number of logs that were left out arrives also if the handler says nothing more for long', async () => {
    const { server, gate } = talkative({ maxLogsPerSecond: 5 });
    const messages = await call(server, 'talk', true);
    let data: unknown;
    do ({ data } = (await messages.next()).value.params);
    while (typeof data === 'number');
    expect(data).toMatch(/^49\d\d log messages were left out, .* or than 5 per second$/);
    gate.open();
    expect(await untilResult(messages)).toHaveLength(1);
  });
});

// covers: 2025-06-18/logging/messages-are-limited, 2025-06-18/logging/rate-is-limited
it('logs of a session outside of requests are limited as well', async () => {
  const server = new Server({ name: 'talkative', version: '1.0.0' });
  server.notification('notifications/roots/list_changed', (_, { session }) => {
    for (let n = 1; n <= COUNT; n++) session?.log.warning(n);
  });
  const { url } = await serve(server);
  const client = await LegacyClient.open(url, { capabilities: { roots: { listChanged: true } } });
  const stream = await client.notices();
  await client.notify('notifications/roots/list_changed');
  let sent = 0;
  for (;;) {
    const { data } = (await stream.message()).params;
    if (typeof data === 'number') sent++;
    else {
      expect(data).toMatch(/^\d+ log messages were left out/);
      expect(sent + Number.parseInt(data, 10)).toBe(COUNT);
      return;
    }
  }
});

it.each(['maxProgressPerSecond', 'maxLogsPerSecond'])('%s is a positive number', name => {
  for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])
    expect(() => new Server({ name: 'x', version: '1' }, { [name]: value })).toThrow(
      `${name} must be a positive number, but is ${value}`,
    );
});
