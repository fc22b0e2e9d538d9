import { Agent, request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { answerOf, EventStream, LEGACY, legacy, modern, openSession, post } from './messages.js';
import type { RawRequest } from './raw-http.js';
import { type Signalled, signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const CLIENTS = 1000;
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };

let served: RunningHttpServer;
let arrived: { count: number; all: Signalled<void> };
const agent = new Agent({ keepAlive: true, maxSockets: 200 });

beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  const value = {
    input: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  } as const;
  server.tool('now', value, ({ value }) => String(value));
  server.tool('later', value, async ({ value }) => {
    // In an order that has nothing to do with the one of arrival.
    for (let turns = (value * 7919) % 13; turns > 0; turns--)
      await new Promise(resolve => setImmediate(resolve));
    return String(value);
  });
  server.tool('streamed', value, async ({ value }, ctx) => {
    ctx.log.error(value);
    await new Promise(resolve => setImmediate(resolve));
    ctx.progress(value);
    return String(value);
  });
  /** Nobody is answered before all have arrived. */
  server.tool('together', value, async ({ value }) => {
    arrived.count--;
    if (arrived.count === 0) arrived.all.resolve();
    await arrived.all.promise;
    return String(value);
  });
  /** Asks each client for something that only this client knows. */
  server.tool('ask', value, async ({ value }, ctx) => {
    const [root] = await ctx.roots();
    return `${value} ${root?.uri}`;
  });
  served = await listen(server, { port: 0, keys: freshKeys() });
  return async () => {
    agent.destroy();
    await served.close(0);
  };
});

/** Sends over the shared agent: many requests, few connections. */
function send(
  { headers = {}, body }: RawRequest,
  over = agent,
): Promise<{ body: string; headers: Map<string, string>; status: number }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port: served.port,
      path: '/mcp',
      method: 'POST',
      agent: over,
      headers: headers as Record<string, string>,
    });
    sent.on('error', reject);
    sent.on('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', piece => (text += piece));
      response.on('end', () => {
        const received = new Map(Object.entries(response.headers).map(([name, one]) => [name, String(one)]));
        resolve({ body: text, headers: received, status: response.statusCode ?? 0 });
      });
    });
    sent.end(body);
  });
}

/** Calls a tool once per client, all with the id 1 and each with a value of its own, and returns the answers. */
async function callAll(requests: RawRequest[], over = agent): Promise<any[]> {
  return (await Promise.all(requests.map(one => send(one, over)))).map(answerOf);
}

function expectOwnAnswers(answers: any[]): void {
  expect(answers.map(({ id }) => id)).toEqual(answers.map(() => 1));
  expect(answers.map(({ result }) => result.content[0].text)).toEqual(answers.map((_, n) => String(n)));
}

const all = Array.from({ length: CLIENTS }, (_, n) => n);

describe('a thousand clients that all use the id 1', () => {
  // covers: 2026-07-28/basic/many-conversations
  test.for(['now', 'later', 'streamed'])('get their own answers on the modern era (%s)', async name => {
    const meta = { ...LOGS, progressToken: 1 };
    expectOwnAnswers(
      await callAll(all.map(value => modern('tools/call', { name, arguments: { value } }, { meta }))),
    );
  });

  test('get their own answers in sessions of their own', async () => {
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const initialize = post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const sessions = await Promise.all(
      all.map(async () => (await send(initialize)).headers.get('mcp-session-id')!),
    );
    expect(new Set(sessions).size).toBe(CLIENTS);
    for (const name of ['now', 'later', 'streamed']) {
      const call = (value: number) => {
        const args = { name, arguments: { value }, _meta: { progressToken: 1 } };
        return legacy(sessions[value]!, 'tools/call', args);
      };
      expectOwnAnswers(await callAll(all.map(call)));
    }
  });

  test('get their own answers while all of them wait at once, on a connection each', async () => {
    arrived = { count: CLIENTS, all: signalled() };
    const half = CLIENTS / 2;
    const session = await openSession(served.port);
    const each = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
    const answers = await callAll(
      all.map(value => {
        const params = { name: 'together', arguments: { value } };
        return value < half ? modern('tools/call', params) : legacy(session, 'tools/call', params);
      }),
      each,
    );
    expectOwnAnswers(answers);
  });

  // covers: 2026-07-28/basic/many-conversations, 2026-07-28/logging/access-is-controlled
  // covers: 2026-07-28/logging/only-on-the-stream-of-the-request
  test('get progress and logs of their own requests only', async () => {
    const meta = { ...LOGS, progressToken: 1 };
    const streams = await Promise.all(
      all
        .slice(0, 100)
        .map(value =>
          EventStream.open(
            served.port,
            modern('tools/call', { name: 'streamed', arguments: { value } }, { meta }),
          ),
        ),
    );
    for (const [value, stream] of streams.entries()) {
      const [log, progress, answer] = await stream.rest();
      expect([log.params.data, progress.params.progress, answer.result.content[0].text]).toEqual([
        value,
        value,
        String(value),
      ]);
    }
  });
});

describe('twelve requests of one session that all have the id 1', () => {
  test.for(['now', 'later', 'streamed', 'together'])('get their own answers (%s)', async name => {
    arrived = { count: 12, all: signalled() };
    const session = await openSession(served.port);
    const requests = all
      .slice(0, 12)
      .map(value => legacy(session, 'tools/call', { name, arguments: { value } }));
    expectOwnAnswers(await callAll(requests));
  });

  test('ask their own questions, each on its own stream', async () => {
    const session = await openSession(served.port, { capabilities: { roots: {} } });
    const streams = await Promise.all(
      all
        .slice(0, 12)
        .map(value =>
          EventStream.open(served.port, legacy(session, 'tools/call', { name: 'ask', arguments: { value } })),
        ),
    );
    const questions = await Promise.all(streams.map(stream => stream.next()));
    expect(new Set(questions.map(({ id }) => id)).size).toBe(12);
    // Answered in the opposite order of asking.
    for (const [value, question] of [...questions.entries()].reverse()) {
      const result = { roots: [{ uri: `file:///${value}` }] };
      const answer = { jsonrpc: '2.0', id: question.id, result };
      expect((await send(post(answer, { 'mcp-session-id': session }))).status).toBe(202);
      // A second answer to the same question has no effect.
      const other = { ...answer, result: { roots: [{ uri: 'file:///evil' }] } };
      expect((await send(post(other, { 'mcp-session-id': session }))).status).toBe(202);
    }
    for (const [value, stream] of streams.entries()) {
      expect((await stream.next()).result.content[0].text).toBe(`${value} file:///${value}`);
    }
  });

  test('are all cancelled by one notification, and the session goes on', async () => {
    arrived = { count: 13, all: signalled() };
    const session = await openSession(served.port);
    const requests = all
      .slice(0, 12)
      .map(value => legacy(session, 'tools/call', { name: 'together', arguments: { value } }));
    const answers = Promise.all(requests.map(one => send(one)));
    while (arrived.count > 1) await new Promise(resolve => setImmediate(resolve));
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await send(post(cancel, { 'mcp-session-id': session }))).status).toBe(202);
    expect((await answers).map(({ body }) => body)).toEqual(requests.map(() => ''));
    expectOwnAnswers(
      await callAll([legacy(session, 'tools/call', { name: 'now', arguments: { value: 0 } })]),
    );
  });
});
