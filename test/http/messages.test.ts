import { describe, expect, test } from 'vitest';
import { Server } from '../../src/server/index.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { readAnswer } from './send.js';
import { serve, serverWith } from './serve.js';

const STREAMABLE = ['2025-03-26', '2025-06-18', '2025-11-25'];

function talker() {
  return serverWith(server => {
    server.tool('quiet', {}, () => 'done');
    server.tool('chatty', {}, (_args, ctx) => {
      ctx.log.info('one');
      ctx.log.warning('two');
      return 'done';
    });
    server.tool('steps', {}, (_args, ctx) => {
      ctx.progress(1, { total: 3, message: 'first' });
      ctx.progress(2, { total: 3 });
      ctx.progress(2, { total: 3 });
      ctx.progress(3, { total: 3 });
      return 'done';
    });
    server.tool('whisper', {}, (_args, ctx) => {
      ctx.log.debug('quiet');
      return 'done';
    });
  });
}

describe('what needs no answer', () => {
  // covers: 2025-06-18/transports/http-accepted-input-gets-202
  // covers: 2025-06-18/basic/server-does-not-answer-notifications
  test('a notification is accepted with 202 and no body', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url, { capabilities: { roots: { listChanged: true } } });
    const response = await client.notify('notifications/roots/list_changed');
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  // covers: 2025-06-18/transports/http-accepted-input-gets-202
  test('an answer is accepted with 202 and no body, and so is a second one', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('folders', {}, async (_args, ctx) => String((await ctx.roots()).length));
      }),
    );
    const client = await LegacyClient.open(url, { capabilities: { roots: {} } });
    const stream = await client.stream('folders');
    const { id } = await stream.message();
    for (const response of [
      await client.answer(id!, { roots: [] }),
      await client.answer(id!, { roots: [] }),
    ]) {
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('');
    }
  });

  // covers: 2025-06-18/transports/http-refused-input-gets-an-error-status
  test('an answer to a question that this process did not ask is refused, and the operator told once', async () => {
    const warnings: string[] = [];
    const server = new Server({ name: 'x', version: '1' }, { onWarning: warning => warnings.push(warning) });
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    for (const id of [12345, 'a']) {
      const { status, last, error } = await readAnswer(await client.answer(id, {}));
      expect([status, last.id]).toEqual([400, undefined]);
      expect(error?.message).toBe(`this server did not ask question ${id}`);
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('route each Mcp-Session-Id to one of them');
  });

  test('an answer with the id of a question as a text is refused, and the question goes on', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('look', {}, async (_args, ctx) => `${(await ctx.roots()).length} roots`);
      }),
    );
    const client = await LegacyClient.open(url, { capabilities: { roots: {} } });
    const stream = await client.stream('look');
    const { id } = await stream.message();
    expect((await client.answer(`${id}`, { roots: [] })).status).toBe(400);
    expect((await client.answer(id!, { roots: [] })).status).toBe(202);
    expect((await stream.message()).result.content[0].text).toBe('0 roots');
  });

  // covers: 2025-06-18/transports/http-refused-input-gets-an-error-status
  test('a notification of an unknown session is refused with an error that has no id', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const response = await client.post(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { 'mcp-session-id': 'nonsense' },
    );
    expect(response.status).toBe(404);
    expect(await response.json()).not.toHaveProperty('id');
  });

  test.for([
    ['not JSON', '{"jsonrpc":', -32700],
    ['not a message', '"hello"', -32600],
    ['not version 2.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['with an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['with parameters by position', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602],
  ] as const)('a body that is %s is refused with 400', async ([, body, code]) => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const response = await client.post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });
});

describe('the answer to a request', () => {
  // covers: 2025-06-18/transports/http-request-gets-json-or-events
  test('is plain JSON if there is nothing to say before it', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { status, headers, last } = await client.request('tools/call', { name: 'quiet' }, 'an id');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(last).toEqual({
      jsonrpc: '2.0',
      id: 'an id',
      result: { content: [{ type: 'text', text: 'done' }] },
    });
  });

  // covers: 2025-06-18/transports/http-request-gets-json-or-events
  // covers: 2025-06-18/transports/http-stream-has-the-response
  // covers: 2025-06-18/transports/http-stream-is-not-closed-before-the-response
  // covers: 2025-06-18/transports/http-stream-ends-after-the-response
  test('is a stream as soon as the handler says something, with the response last and then the end', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { status, headers, messages } = await client.call('chatty');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(messages.map(({ method, params }) => [method, params?.level, params?.data])).toEqual([
      ['notifications/message', 'info', 'one'],
      ['notifications/message', 'warning', 'two'],
      [undefined, undefined, undefined],
    ]);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  });

  test('asks proxies not to buffer or change the stream', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { headers } = await client.call('chatty');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  });

  test('has a stream of message events with ids that are unique in the session', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const streams = await Promise.all([
      client.stream('chatty'),
      client.stream('chatty'),
      client.stream('chatty'),
    ]);
    await Promise.all(streams.map(stream => stream.ended()));
    const events = streams.flatMap(stream => stream.events);
    expect(events.length).toBe(9);
    expect(events.every(({ event }) => event === 'message')).toBe(true);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  // covers: 2025-06-18/transports/http-event-ids-are-unique
  test('shares no event id with any other stream of the session, opened by POST or GET', async () => {
    const server = talker();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const notices = [await client.notices(), await client.notices()];
    const streams = [await client.stream('chatty'), await client.stream('chatty')];
    await Promise.all(streams.map(stream => stream.ended()));
    server.tool('new', {}, () => 'new');
    await Promise.race(notices.map(stream => stream.message()));
    const ids = [...notices, ...streams].flatMap(stream => stream.events.map(({ id }) => id));
    expect(ids.length).toBe(11);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('says which stream an event belongs to in its id', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const stream = await client.stream('chatty');
    await stream.ended();
    const origins = stream.events.map(({ id }) => id!.slice(0, id!.lastIndexOf('.')));
    expect(new Set(origins).size).toBe(1);
  });

  test('reaches the request that it belongs to when ids are equal at the same time', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool(
          'echo',
          { input: { type: 'object', properties: { text: { type: 'string' } } } as const },
          async ({ text }) => {
            if (text === 'slow') await slow.passed;
            return text ?? '';
          },
        );
      }),
    );
    const slow = createGate();
    const client = await LegacyClient.open(url);
    const call = (text: string) => client.request('tools/call', { name: 'echo', arguments: { text } }, 1);
    const first = call('slow');
    expect((await call('quick')).result.content[0].text).toBe('quick');
    slow.open();
    expect((await first).result.content[0].text).toBe('slow');
  });

  test('is 406 for a client that cannot read both forms', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const accept of [
      'application/json',
      'text/event-stream',
      'text/html',
      'application/json, text/event-stream;q=0',
    ]) {
      expect((await client.post(ping, { accept })).status, accept).toBe(406);
    }
    for (const accept of ['*/*', 'text/*, application/*', 'text/event-stream;q=0.5, APPLICATION/JSON']) {
      expect((await client.post(ping, { accept })).status, accept).toBe(200);
    }
  });

  test('is 415 for a body that does not claim to be JSON', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await client.post(ping, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await client.post(ping, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test('is an error with 200 for a method that nobody knows', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { status, error } = await client.request('no/such/method');
    expect([status, error?.code]).toEqual([200, -32601]);
  });
});

describe('ping', () => {
  // covers: 2025-06-18/ping/server-answers-promptly
  test.for(STREAMABLE)('is answered with an empty result at %s', async revision => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url, { revision });
    expect((await client.request('ping')).result).toEqual({});
  });

  test('from the server is answered by another POST', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('probe', {}, async (_args, ctx) => {
          await ctx.ping();
          return 'alive';
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('probe');
    const ping = await stream.message();
    expect(ping.method).toBe('ping');
    await client.answer(ping.id!, {});
    expect((await stream.message()).result.content[0].text).toBe('alive');
  });
});

describe('progress', () => {
  // covers: 2025-06-18/progress/value-increases, 2025-06-18/progress/token-was-given-by-an-active-request
  test.for(STREAMABLE)('goes out with the token of the request and only grows, at %s', async revision => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url, { revision });
    const { messages } = await client.call('steps', {}, { progressToken: 'tok' });
    const progress = messages.slice(0, -1);
    expect(progress.every(({ method }) => method === 'notifications/progress')).toBe(true);
    expect(progress.map(({ params }) => params)).toEqual([
      { progressToken: 'tok', progress: 1, total: 3, message: 'first' },
      { progressToken: 'tok', progress: 2, total: 3 },
      { progressToken: 'tok', progress: 3, total: 3 },
    ]);
  });

  // covers: 2025-06-18/progress/token-was-given-by-an-active-request
  test('is not sent to a client that gave no token', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { headers, messages } = await client.call('steps');
    expect(headers.get('content-type')).toBe('application/json');
    expect(messages).toHaveLength(1);
  });

  // covers: 2025-06-18/progress/stops-after-completion
  test('stops when the request has been answered', async () => {
    const answered = createGate();
    const late = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('early', {}, (_args, ctx) => {
          ctx.progress(1);
          void answered.passed.then(() => {
            ctx.progress(2);
            ctx.log.info('too late');
            late.open();
          });
          return 'done';
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('early', {}, { meta: { progressToken: 1 } });
    expect(await stream.ended()).toBe(true);
    answered.open();
    await late.passed;
    const again = await client.resume(stream.events[0]!.id!);
    expect((await again.rest()).map(({ id, method }) => id ?? method)).toEqual([1]);
  });
});

describe('cancellation', () => {
  // covers: 2025-06-18/cancellation/server-stops-processing, 2025-06-18/cancellation/server-does-not-respond
  // covers: 2025-06-18/schema/cancelled-request-stops
  test('reaches the handler with its reason and leaves the request without an answer', async () => {
    const started = createGate();
    const aborted = createGate<unknown>();
    const { url } = await serve(
      serverWith(server => {
        server.tool('endless', {}, async (_args, ctx) => {
          ctx.signal.addEventListener('abort', () => aborted.open(ctx.signal.reason));
          ctx.log.info('started');
          started.open();
          await new Promise(() => {});
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('endless', {}, { id: 'c1' });
    await started.passed;
    const response = await client.notify('notifications/cancelled', {
      requestId: 'c1',
      reason: 'changed my mind',
    });
    expect(response.status).toBe(202);
    expect(await aborted.passed).toMatchObject({ message: 'changed my mind' });
    expect((await stream.rest()).filter(({ id }) => id !== undefined)).toEqual([]);
  });

  test('of a request that has said nothing yet ends its POST with a stream that has no event', async () => {
    const started = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('endless', {}, async () => {
          started.open();
          await new Promise(() => {});
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const call = client.request('tools/call', { name: 'endless' }, 5);
    await started.passed;
    await client.notify('notifications/cancelled', { requestId: 5 });
    const { status, headers, messages } = await call;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(messages).toEqual([]);
  });

  test('touches only the request of that id and of that session', async () => {
    const gate = createGate();
    const started = [createGate(), createGate(), createGate()];
    let calls = 0;
    const { url } = await serve(
      serverWith(server => {
        server.tool('wait', {}, async (_args, ctx) => {
          started[calls++]?.open();
          await gate.passed;
          return ctx.signal.aborted ? 'aborted' : 'done';
        });
      }),
    );
    const [one, other] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    const cancelled = one.request('tools/call', { name: 'wait' }, 1);
    const sameId = other.request('tools/call', { name: 'wait' }, 1);
    const otherType = one.request('tools/call', { name: 'wait' }, '1');
    await Promise.all(started.map(({ passed }) => passed));
    await one.notify('notifications/cancelled', { requestId: 1 });
    gate.open();
    expect((await cancelled).messages).toEqual([]);
    expect((await sameId).result.content[0].text).toBe('done');
    expect((await otherType).result.content[0].text).toBe('done');
  });

  // covers: 2025-06-18/cancellation/invalid-ones-are-ignored, 2025-06-18/cancellation/races-are-handled
  test('that is malformed, unknown or too late is ignored', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    const { last } = await client.call('quiet');
    for (const params of [
      undefined,
      {},
      { requestId: 99 },
      { requestId: null },
      { requestId: last.id, reason: 5 },
    ]) {
      expect((await client.notify('notifications/cancelled', params)).status).toBe(202);
    }
    expect((await client.call('quiet')).result).toBeDefined();
  });

  // covers: 2025-06-18/transports/http-disconnection-is-not-cancellation
  test('is not meant by a client that only lost its connection', async () => {
    const started = createGate();
    const finish = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('long', {}, async (_args, ctx) => {
          ctx.log.info('started');
          started.open();
          await finish.passed;
          return ctx.signal.aborted ? 'aborted' : 'finished';
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('long');
    await stream.message();
    stream.cut();
    const again = await client.resume(stream.lastId!);
    finish.open();
    expect((await again.message()).result.content[0].text).toBe('finished');
  });
});

describe('logging/setLevel', () => {
  // covers: 2025-06-18/schema/log-level-is-a-minimum
  test('is kept in the session and nowhere else', async () => {
    const { url } = await serve(talker());
    const [one, other] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    expect((await one.call('whisper')).messages).toHaveLength(1);
    expect((await one.request('logging/setLevel', { level: 'debug' })).result).toEqual({});
    expect((await one.call('whisper')).messages).toHaveLength(2);
    expect((await one.call('whisper')).messages).toHaveLength(2);
    expect((await other.call('whisper')).messages).toHaveLength(1);
    await one.request('logging/setLevel', { level: 'error' });
    expect((await one.call('chatty')).messages).toHaveLength(1);
  });

  // covers: 2025-06-18/logging/unknown-level-is-invalid-params
  test('refuses a level that does not exist', async () => {
    const { url } = await serve(talker());
    const client = await LegacyClient.open(url);
    expect((await client.request('logging/setLevel', { level: 'loud' })).error?.code).toBe(-32602);
  });
});

describe('heartbeats', () => {
  test('show on a quiet stream as comments, before and after events', async () => {
    const gate = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('slow', {}, async (_args, ctx) => {
          ctx.log.info('started');
          await gate.passed;
          return 'done';
        });
      }),
      { heartbeatMs: 5 },
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('slow');
    expect(await stream.comment()).toMatch(/^:/);
    gate.open();
    expect((await stream.rest()).at(-1)?.result.content[0].text).toBe('done');
    expect(await (await client.notices()).comment()).toMatch(/^:/);
  });
});
