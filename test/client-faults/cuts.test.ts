import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Client, ConnectionError, connect } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { CuttingProxy } from './cutting-proxy.js';
import { type Answer, type Ask, ERAS, legacy, listenRaw } from './raw-server.js';

failOnUnhandled();

/** Milliseconds; on an idle machine none takes more than a few. A request that nobody answers takes a minute. */
const LIMIT = 20_000;

/** How a call ended whose connection was cut. */
interface End {
  where: string;
  error: unknown;
  /** Milliseconds from the cut to the end. */
  delay: number;
}

const FORMS: { form: string; say: (ask: Ask, result: object) => void }[] = [
  { form: 'JSON', say: (ask, result) => ask.result(result) },
  {
    form: 'events',
    say: (ask, result) => {
      const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'ß' } };
      ask.stream().event(log).event(ask.resultMessage(result)).response.end();
    },
  },
];

describe.for(ERAS)('a connection to a $era server', ({ serve }) => {
  test.for(FORMS)('is cut at every byte of a call that is answered with $form', async ({ say }) => {
    const runs = new Map<number, number>();
    const { client, proxy, done } = await connectThrough(
      serve({
        'tools/call': ask => {
          const { n } = ask.message.params.arguments;
          runs.set(n, (runs.get(n) ?? 0) + 1);
          say(ask, { content: [{ type: 'text', text: `answer ${n}` }] });
        },
      }),
    );
    let n = 1000;
    const ends = await cutEverywhere(proxy, async () => {
      const own = ++n;
      const result = await client.callTool('count', { n: own });
      expect(result).toMatchObject({ content: [{ text: `answer ${own}` }] });
    });
    for (const { where, error } of ends) if (error) expect(error, where).toBeInstanceOf(ConnectionError);
    expect(ends.filter(({ error }) => error).length).toBeGreaterThan(500);
    expect(ends.filter(({ error }) => !error).length).toBeGreaterThan(0);
    // A tool may do anything, so that it is never called a second time.
    expect(Math.max(...runs.values())).toBe(1);
    await done();
  });

  test.for(FORMS)(
    'is cut at every byte of a question that may be repeated, answered with $form',
    async ({ say }) => {
      const { client, proxy, done } = await connectThrough(
        serve({ 'resources/read': ask => say(ask, { contents: [{ uri: 'a:b', text: 'soup' }] }) }),
      );
      const ends = await cutEverywhere(proxy, async () => {
        expect(await client.readResource('a:b')).toMatchObject({ contents: [{ text: 'soup' }] });
      });
      for (const { where, error } of ends) expect(error, where).toBeUndefined();
      await done();
    },
  );
});

test('a stream of events that can be taken up again is cut at every byte', async () => {
  let runs = 0;
  const { client, proxy, done } = await connectThrough(
    legacy({
      'tools/call': ask => {
        runs++;
        answers.set(`${ask.message.id}`, ask.textMessage(`answer ${ask.message.params.arguments.n}`));
        ask.stream().response.write(`id: ${ask.message.id}\nretry: 1\ndata:\n\n`);
        ask.event(answers.get(`${ask.message.id}`)).response.end();
      },
      GET: ask => {
        const answer = answers.get(ask.request.headers['last-event-id'] as string);
        if (answer) ask.stream().event(answer).response.end();
        else ask.send(405);
      },
    }),
  );
  const answers = new Map<string, object>();
  let n = 0;
  const ends = await cutEverywhere(proxy, async () => {
    const own = ++n;
    const result = await client.callTool('count', { n: own });
    expect(result).toMatchObject({ content: [{ text: `answer ${own}` }] });
  });
  for (const { where, error } of ends) if (error) expect(error, where).toBeInstanceOf(ConnectionError);
  // From the first event on nothing is lost.
  const back = ends.filter(({ where }) => where.includes('down'));
  const firstRight = back.findIndex(({ error }) => !error);
  expect(back.slice(firstRight).filter(({ error }) => error)).toEqual([]);
  expect(back.length - firstRight).toBeGreaterThan(80);
  expect(runs).toBeLessThanOrEqual(n);
  await done();
});

/** A client that reaches a server through a proxy. `done` makes sure that nothing is left of either. */
async function connectThrough(
  answer: Answer,
): Promise<{ client: Client; proxy: CuttingProxy; done: () => Promise<void> }> {
  const before = process.getActiveResourcesInfo();
  const server = await listenRaw(answer);
  const proxy = await CuttingProxy.open(server.port);
  const client = await connect(proxy.url);
  const close = async () => {
    await client.close();
    await proxy.close();
    await server.close();
  };
  onTestFinished(close);
  return {
    client,
    proxy,
    async done() {
      await close();
      const begun = performance.now();
      while (leftOver(before).length > 0 && performance.now() - begun < LIMIT) await setImmediate();
      expect(leftOver(before)).toEqual([]);
    },
  };
}

/** What keeps this process alive, and did not before. */
function leftOver(before: readonly string[]): string[] {
  const known = [...before];
  return process.getActiveResourcesInfo().filter(kind => {
    const at = known.indexOf(kind);
    if (at >= 0) known.splice(at, 1);
    return at < 0 && kind !== 'Immediate';
  });
}

/** Makes a call again and again, and cuts its connection one byte later each time, until there is nothing to cut. */
async function cutEverywhere(proxy: CuttingProxy, call: () => Promise<void>): Promise<End[]> {
  const ends: End[] = [];
  for (const direction of ['up', 'down'] as const) {
    let wasCut = true;
    for (let after = 0; wasCut; after++) {
      const how = after % 2 === 0 ? 'end' : 'reset';
      proxy.arm({ direction, after, how });
      const error = await errorOf(call);
      const endedAt = performance.now();
      wasCut = proxy.cutAt !== undefined;
      ends.push({
        where: `${how} ${direction} after ${after}`,
        error,
        delay: endedAt - (proxy.cutAt ?? endedAt),
      });
      await proxy.quiet();
    }
  }
  if (process.env.MEASURE) console.log(ends.length, Math.max(...ends.map(({ delay }) => delay)));
  expect(Math.max(...ends.map(({ delay }) => delay))).toBeLessThan(LIMIT);
  return ends;
}

/** What a call rejects with; it has to end soon. */
async function errorOf(call: () => Promise<void>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end')), LIMIT);
  });
  return Promise.race([call(), tooLate])
    .then(
      () => undefined,
      error => error,
    )
    .finally(() => clearTimeout(timer));
}
