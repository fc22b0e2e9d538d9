import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Server } from '../../src/server/index.js';
import type { EventStream } from './event-stream.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { getStream, postStream } from './send.js';
import { serve, serveObserved, serverWith } from './serve.js';

const MINUTE = 60_000;
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'];

/** A tool that counts aloud: to `first` at once, and to `last` when the gate opens. */
function counter(first: number, last: number) {
  const gate = createGate();
  const server = serverWith(
    server => {
      server.tool('count', {}, async (_args, ctx) => {
        for (let n = 1; n <= first; n++) ctx.log.info(n);
        await gate.passed;
        for (let n = first + 1; n <= last; n++) ctx.log.info(n);
        return 'counted';
      });
      server.tool('quiet', {}, () => 'quiet');
      server.resource('note://a', {}, () => 'a');
    },
    { maxLogsPerSecond: 10_000 },
  );
  return { server, gate };
}

let added = 0;

function addTool(server: Server): void {
  server.tool(`added-${++added}`, {}, () => 'new');
}

/** What a stream said: numbers that were logged, and the text of the result. */
async function heard(stream: EventStream): Promise<unknown[]> {
  return (await stream.rest()).map(({ params, result }) => params?.data ?? result.content[0].text);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

async function take(stream: EventStream, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await stream.message();
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a response stream that was cut', () => {
  // covers: 2025-06-18/transports/http-event-ids-are-unique
  test('never gives out an id twice, however often it is resumed', async () => {
    const { server, gate } = counter(2, 3);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const first = await client.stream('count');
    await take(first, 2);
    first.cut();
    let lastId = first.lastId!;
    const ids = first.events.map(({ id }) => id);
    for (let times = 0; times < 3; times++) {
      const again = await client.resume(lastId);
      const priming = await again.next();
      expect(priming).toEqual({ id: expect.any(String), retry: expect.any(Number), data: '' });
      again.cut();
      lastId = priming!.id!;
      ids.push(lastId);
    }
    gate.open();
    const last = await client.resume(lastId);
    expect(await heard(last)).toEqual([3, 'counted']);
    ids.push(...last.events.map(({ id }) => id));
    expect(ids).toHaveLength(new Set(ids).size);
  });

  // covers: 2025-11-25/transports/event-ids-name-their-stream
  // covers: 2025-11-25/transports/stream-ends-after-the-response
  test.for(REVISIONS)(
    'goes on with exactly what was missed, in order, and the result, at %s',
    async revision => {
      const { server, gate } = counter(5, 9);
      const { url } = await serve(server);
      const client = await LegacyClient.open(url, { revision });
      const stream = await client.stream('count');
      await take(stream, 3);
      const lastId = stream.lastId!;
      stream.cut();
      gate.open();
      const again = await client.resume(lastId);
      expect(again.response.status).toBe(200);
      expect(await heard(again)).toEqual([...numbers(4, 9), 'counted']);
      const ids = again.events.flatMap(({ id, data }) => (data ? [id] : []));
      expect(new Set([...ids, ...stream.events.slice(0, 3).map(({ id }) => id)]).size).toBe(ids.length + 3);
    },
  );

  test('can be cut again and again', async () => {
    const { server, gate } = counter(20, 20);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    let stream = await client.stream('count');
    const seen: unknown[] = [];
    for (let cuts = 0; cuts < 10; cuts++) {
      seen.push((await stream.message()).params.data, (await stream.message()).params.data);
      const lastId = stream.lastId!;
      stream.cut();
      stream = await client.resume(lastId);
    }
    gate.open();
    expect([...seen, ...(await heard(stream))]).toEqual([...numbers(1, 20), 'counted']);
  });

  test('can be read after the call has ended, from any event on', async () => {
    const { server, gate } = counter(2, 4);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    gate.open();
    const stream = await client.stream('count');
    expect(await stream.ended()).toBe(true);
    const ids = stream.events.map(({ id }) => id!);
    expect(await heard(await client.resume(ids[0]!))).toEqual([2, 3, 4, 'counted']);
    expect(await heard(await client.resume(ids[3]!))).toEqual(['counted']);
  });

  test('is answered with 204 after its last event, which tells clients not to come back for ever', async () => {
    const { server, gate } = counter(1, 1);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    gate.open();
    const stream = await client.stream('count');
    await stream.ended();
    const response = await client.get({ 'last-event-id': stream.events.at(-1)!.id! });
    expect(response.status).toBe(204);
  });

  test('moves to the connection that resumed it last', async () => {
    const { server, gate } = counter(1, 2);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const stream = await client.stream('count');
    await stream.message();
    const lastId = stream.lastId!;
    const second = await client.resume(lastId);
    expect(await stream.ended()).toBe(true);
    gate.open();
    expect(await heard(second)).toEqual([2, 'counted']);
    expect(stream.events).toHaveLength(1);
  });

  // covers: 2025-06-18/transports/http-replay-is-of-one-stream
  test('has nothing of what went out on other streams of the session', async () => {
    const { server, gate } = counter(1, 3);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const notices = await client.notices();
    const [one, other] = [
      await client.stream('count', {}, { id: 'one' }),
      await client.stream('count', {}, { id: 'other' }),
    ];
    await Promise.all([one.message(), other.message()]);
    one.cut();
    addTool(server);
    await notices.message();
    gate.open();
    await other.rest();
    const again = await client.resume(one.lastId!);
    const messages = await again.rest();
    expect(messages.map(({ params, id }) => id ?? params.data)).toEqual([2, 3, 'one']);
  });

  test('keeps the last thousand events, and first says how many older ones are lost', async () => {
    const { server, gate } = counter(1, 1500);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    const stream = await client.stream('count');
    await stream.message();
    stream.cut();
    gate.open();
    const again = await client.resume(stream.lastId!);
    const [loss, ...all] = await heard(again);
    expect(loss).toMatch(/^500 messages of this stream are lost/);
    expect(all).toHaveLength(1000);
    expect(all).toEqual([...numbers(502, 1500), 'counted']);
    const [event] = again.events;
    expect(event).not.toHaveProperty('id');
    expect(JSON.parse(event!.data!)).toMatchObject({
      method: 'notifications/message',
      params: { level: 'warning', logger: 'tenon' },
    });
  });

  test('says nothing of lost events to a client that wants only graver messages', async () => {
    const gate = createGate();
    const server = serverWith(
      added => {
        added.tool('fail', {}, async (_args, ctx) => {
          ctx.log.error(1);
          await gate.passed;
          for (let n = 2; n <= 1500; n++) ctx.log.error(n);
          return 'failed';
        });
      },
      { maxLogsPerSecond: 10_000 },
    );
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    await client.request('logging/setLevel', { level: 'error' });
    const stream = await client.stream('fail');
    await stream.message();
    stream.cut();
    gate.open();
    expect(await heard(await client.resume(stream.lastId!))).toEqual([...numbers(502, 1500), 'failed']);
  });

  test('keeps no more than a mebibyte', async () => {
    const gate = createGate();
    const text = 'x'.repeat(100_000);
    const { url } = await serve(
      serverWith(server => {
        server.tool('shout', {}, async (_args, ctx) => {
          ctx.log.info('started');
          await gate.passed;
          for (let n = 1; n <= 20; n++) ctx.log.info({ n, text });
          return 'done';
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('shout');
    await stream.message();
    stream.cut();
    gate.open();
    const messages = await (await client.resume(stream.lastId!)).rest();
    expect(messages[0]?.params.data).toMatch(/^10 messages of this stream are lost/);
    expect(messages.slice(1, -1).map(({ params }) => params.data.n)).toEqual(numbers(11, 20));
    expect(messages.at(-1)?.result).toBeDefined();
  });

  test('is kept for five minutes after the connection was lost, however long it was open before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { server, gate } = counter(1, 2);
    const { url, newestClosed } = await serveObserved(server);
    const client = await LegacyClient.open(url);
    const stream = await client.stream('count');
    await stream.message();
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    stream.cut();
    await newestClosed();
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    gate.open();
    const again = await client.resume(stream.lastId!);
    expect(await heard(again)).toEqual([2, 'counted']);
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    expect(await heard(await client.resume(stream.lastId!))).toEqual([2, 'counted']);
    vi.setSystemTime(Date.now() + 6 * MINUTE);
    expect((await client.get({ 'last-event-id': stream.lastId! })).status).toBe(400);
  });
});

describe('a notice stream that was cut', () => {
  test.for(REVISIONS)('goes on with what happened meanwhile, and then live, at %s', async revision => {
    const { server } = counter(0, 0);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision });
    await client.request('resources/subscribe', { uri: 'note://a' });
    const notices = await client.notices();
    addTool(server);
    await notices.message();
    notices.cut();
    server.resourceChanged('note://a');
    addTool(server);
    server.resource('note://new', {}, () => 'new');
    const again = await client.resume(notices.lastId!);
    const missed = [await again.message(), await again.message(), await again.message()];
    expect(missed.map(({ method }) => method)).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ]);
    addTool(server);
    expect((await again.message()).method).toBe('notifications/tools/list_changed');
  });

  test('is kept for five minutes after the connection was lost, however long it was open before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { server } = counter(0, 0);
    const { url, newestClosed } = await serveObserved(server);
    const client = await LegacyClient.open(url);
    const notices = await client.notices();
    addTool(server);
    await notices.message();
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    notices.cut();
    await newestClosed();
    vi.setSystemTime(Date.now() + 4 * MINUTE);
    addTool(server);
    const again = await client.resume(notices.lastId!);
    expect((await again.message()).method).toBe('notifications/tools/list_changed');
    again.cut();
    await newestClosed();
    addTool(server);
    vi.setSystemTime(Date.now() + 6 * MINUTE);
    // Nothing is left to replay, but notices are good from any time on.
    const anew = await client.resume(notices.lastId!);
    server.resourceChanged('note://a');
    addTool(server);
    expect((await anew.message()).method).toBe('notifications/tools/list_changed');
    expect(anew.lastId!.split('.')[0]).not.toBe(notices.lastId!.split('.')[0]);
  });

  test('hears on from changes though the client never read an event of it', async () => {
    const { server } = counter(0, 0);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const notices = await client.notices();
    const priming = await notices.next();
    notices.cut();
    addTool(server);
    const again = await client.resume(priming!.id!);
    expect((await again.message()).method).toBe('notifications/tools/list_changed');
  });
});

describe('a Last-Event-ID', () => {
  test('of another session is refused, and nothing of that session is shown', async () => {
    const { server, gate } = counter(2, 2);
    const { url } = await serve(server);
    const [owner, thief] = [await LegacyClient.open(url), await LegacyClient.open(url)];
    gate.open();
    const stream = await owner.stream('count');
    await stream.ended();
    const stolen = await thief.get({ 'last-event-id': stream.events[0]!.id! });
    const unknown = await thief.get({ 'last-event-id': '00000000-0000-4000-8000-000000000000.1' });
    expect(stolen.status).toBe(400);
    expect(unknown.status).toBe(400);
    expect(await stolen.text()).toBe(await unknown.text());
    expect(await heard(await owner.resume(stream.events[0]!.id!))).toEqual([2, 'counted']);
  });

  test.for(['', '.', 'nonsense', 'a.b', '.1', '1', '%00', '-1.-1'])(
    'that was never given out, %j, is refused with 400',
    async id => {
      const { server } = counter(0, 0);
      const { url } = await serve(server);
      const client = await LegacyClient.open(url);
      const response = await client.get({ 'last-event-id': id });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { message: expect.stringContaining('Last-Event-ID') },
      });
    },
  );

  test('is ignored on a POST', async () => {
    const { server, gate } = counter(1, 1);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    gate.open();
    const stream = await client.stream('count');
    await stream.ended();
    const headers = { ...client.headers, 'last-event-id': stream.events[0]!.id! };
    const body = { jsonrpc: '2.0', id: 'again', method: 'tools/call', params: { name: 'count' } };
    expect(await heard(await postStream(url, body, headers))).toEqual([1, 'counted']);
  });

  test('is good for nothing once the session has ended', async () => {
    const { server, gate } = counter(1, 1);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url);
    gate.open();
    const stream = await client.stream('count');
    await stream.ended();
    await client.delete();
    expect((await client.get({ 'last-event-id': stream.events[0]!.id! })).status).toBe(404);
  });
});

describe('the first event of a stream', () => {
  // covers: 2025-11-25/transports/get-stream-says-when-to-come-back
  // covers: 2025-11-25/transports/stream-begins-with-an-empty-event
  test('is an empty one with an id and a time to retry at 2025-11-25', async () => {
    const { server, gate } = counter(1, 1);
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    gate.open();
    for (const stream of [await client.stream('count'), await client.notices()]) {
      const first = await stream.next();
      expect(first).toEqual({ id: expect.stringMatching(/./), data: '', retry: expect.any(Number) });
    }
  });

  test.for(['2025-03-26', '2025-06-18'])(
    'is a message at %s, whose clients would trip over an empty one',
    async revision => {
      const { server, gate } = counter(1, 1);
      const { url } = await serve(server);
      const client = await LegacyClient.open(url, { revision });
      gate.open();
      const stream = await client.stream('count');
      await stream.ended();
      expect(stream.events[0]).toMatchObject({ event: 'message', data: expect.stringContaining('jsonrpc') });
      expect(stream.events.every(({ retry }) => retry === undefined)).toBe(true);
      const notices = await client.notices();
      addTool(server);
      expect((await notices.next())?.data).toContain('list_changed');
    },
  );
});

describe('ctx.closeStream()', () => {
  function sleeper() {
    const gate = createGate();
    const server = serverWith(server => {
      server.tool('sleep', {}, async (_args, ctx) => {
        ctx.log.info('going to sleep');
        ctx.closeStream();
        ctx.log.info('asleep');
        await gate.passed;
        return 'awake';
      });
      server.tool('sleep-at-once', {}, async (_args, ctx) => {
        ctx.closeStream();
        await gate.passed;
        return 'awake';
      });
    });
    return { server, gate };
  }

  // covers: 2025-11-25/transports/closed-connections-say-when-to-come-back
  test('ends the connection at 2025-11-25, and the client comes back for the rest', async () => {
    const { server, gate } = sleeper();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const stream = await client.stream('sleep', {}, { id: 's' });
    expect((await stream.rest()).map(({ params }) => params.data)).toEqual(['going to sleep']);
    expect(await stream.ended()).toBe(true);
    expect(stream.events[0]?.retry).toBeGreaterThan(0);

    const again = await client.resume(stream.lastId!);
    expect((await again.message()).params.data).toBe('asleep');
    gate.open();
    expect(await again.rest()).toMatchObject([{ id: 's', result: { content: [{ text: 'awake' }] } }]);
  });

  test('works before anything was said: the first event is enough to come back', async () => {
    const { server, gate } = sleeper();
    const { url } = await serve(server);
    const client = await LegacyClient.open(url, { revision: '2025-11-25' });
    const stream = await client.stream('sleep-at-once');
    expect(await stream.rest()).toEqual([]);
    expect(stream.events).toHaveLength(1);
    gate.open();
    expect(await heard(await client.resume(stream.events[0]!.id!))).toEqual(['awake']);
  });

  test.for(['2025-03-26', '2025-06-18'])(
    'does nothing at %s, whose clients would not come back',
    async revision => {
      const { server, gate } = sleeper();
      const { url } = await serve(server);
      const client = await LegacyClient.open(url, { revision });
      gate.open();
      expect(await heard(await client.stream('sleep'))).toEqual(['going to sleep', 'asleep', 'awake']);
      const { headers, result } = await client.call('sleep-at-once');
      expect(headers.get('content-type')).toBe('application/json');
      expect(result.content[0].text).toBe('awake');
    },
  );
});

describe('a reader that is too slow', () => {
  test('gets the answer, and the number of logs that were left out; nobody else waits', async () => {
    const line = 'x'.repeat(64 * 1024);
    const flooded = createGate();
    const { url } = await serve(
      serverWith(server => {
        server.tool('flood', {}, async (_args, ctx) => {
          ctx.log.info('first');
          for (let n = 0; n < 400; n++) {
            ctx.log.info(line);
            await new Promise(resolve => setImmediate(resolve));
          }
          flooded.open();
          return 'flooded';
        });
        server.tool('quiet', {}, () => 'quiet');
      }),
    );
    const client = await LegacyClient.open(url);
    const controller = new AbortController();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flood' } };
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...client.headers,
      },
      signal: controller.signal,
    });
    // Nothing is read here, so the server has to decide what to do with 25 MiB.
    await flooded.passed;
    expect((await client.call('quiet')).result.content[0].text).toBe('quiet');
    const messages = [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) =>
      JSON.parse(data!),
    );
    expect(messages.pop().result.content[0].text).toBe('flooded');
    const leftOut = messages.map(({ params }) =>
      Number(/^(\d+) log messages were left out/.exec(params.data)?.[1]),
    );
    expect(leftOut.reduce((sum, count) => sum + (count || 1), 0)).toBe(401);
    expect(leftOut.some(count => count > 0)).toBe(true);
    expect(messages.every(({ params }) => params.level === 'info')).toBe(true);
  });

  test('gets a single answer of any size, though it is larger than what may wait for a slow reader', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('picture', {}, (_args, ctx) => {
          ctx.log.info('painting');
          return 'p'.repeat(16 * 1024 * 1024);
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('picture');
    expect((await stream.message()).params.data).toBe('painting');
    expect((await stream.message()).result.content[0].text).toHaveLength(16 * 1024 * 1024);
  });

  test('gets all that was kept when it comes back, though that is more than may wait for a slow reader', async () => {
    const gate = createGate();
    const line = 'x'.repeat(10_000);
    const { url } = await serve(
      serverWith(server => {
        server.tool('flood', {}, async (_args, ctx) => {
          ctx.log.info(0);
          await gate.passed;
          for (let n = 1; n <= 90; n++) ctx.log.info(n + line);
          return 'flooded';
        });
      }),
    );
    const client = await LegacyClient.open(url);
    const stream = await client.stream('flood');
    await stream.message();
    stream.cut();
    gate.open();
    const again = await getStream(url, { ...client.headers, 'last-event-id': stream.lastId! });
    expect(await heard(again)).toHaveLength(91);
  });
});
