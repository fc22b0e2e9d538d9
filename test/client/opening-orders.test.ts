import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createConnect } from '../../src/client/connect.js';
import type { ConnectStatus } from '../../src/client/index.js';
import { openDuplex } from '../../src/client/on-demand.js';
import { createServer, KIND_NAMES } from './fixtures/server-kinds.mjs';

/** How a server behaves in time; all in milliseconds. */
interface Pace {
  /** Until it reads anything. */
  startMs: number;
  /** How long each of its answers takes. Answers may overtake each other. */
  answerMs: number[];
  /** Whether it writes to stderr when it is started. */
  greets: boolean;
}

/** Programs that live in this process, so that their time can pass quickly. */
function programs(kind: string, { startMs, answerMs, greets }: Pace) {
  const started: ReturnType<typeof createServer>[] = [];
  const start = () => {
    let stderr = greets ? 'starting\n' : '';
    let [hasSpoken, isOpen, answers] = [false, true, 0];
    const server = createServer(kind, text => {
      stderr += text;
    });
    started.push(server);
    let receive: (text: string) => void;
    let closed: (reason?: Error) => void;
    const answer = (text: string) => {
      const reply = server.receive(JSON.parse(text));
      if (reply === undefined) return;
      setTimeout(
        () => {
          if (!isOpen) return;
          if (reply === 'exit') {
            isOpen = false;
            return closed(new Error('it exited'));
          }
          hasSpoken = true;
          receive(JSON.stringify(reply));
        },
        answerMs[answers++ % answerMs.length],
      );
    };
    const awake = new Promise(resolve => setTimeout(resolve, startMs));
    const transport = {
      async start(take: typeof receive, end: typeof closed) {
        [receive, closed] = [take, end];
      },
      async send(text: string) {
        void awake.then(() => isOpen && answer(text));
      },
      async close() {
        isOpen = false;
      },
    };
    return openDuplex(transport, {
      isStarting: () => stderr === '' && !hasSpoken,
      hasSpoken: () => hasSpoken,
      hasRead: method => stderr.includes(method),
    });
  };
  const connect = createConnect({
    createSender: () => {
      throw new Error('there is no HTTP here');
    },
    locateCommand: () => ({
      dialer: { open: (...args) => start()(...args), canReopen: true },
      name: kind,
      label: kind,
      reconnects: false,
    }),
  });
  return { connect, started };
}

// The client loads some of its parts when they are first needed, which takes real time: the fake clock would overtake it.
beforeAll(async () => {
  for (const kind of ['of the new era', 'of the old era']) {
    const { connect } = programs(kind, { startMs: 0, answerMs: [0], greets: true });
    const client = await connect({ command: 'x' });
    await client.tools();
    await client.close();
  }
});
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass until a promise is settled. */
async function inTime<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  for (let passed = 0; !isSettled; passed += 500) {
    if (passed > limitMs) throw new Error(`still connecting after ${limitMs} ms`);
    await vi.advanceTimersByTimeAsync(500);
  }
  return settled;
}

const paces = fc.record({
  // A program may take two minutes to its first message.
  startMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 12_000 }),
    fc.integer({ min: 0, max: 110_000 }),
  ),
  answerMs: fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 4 }),
  greets: fc.boolean(),
});

test.for(KIND_NAMES)(
  'whatever the order and time of its answers, a server %s is spoken to in its best revision',
  async kind => {
    await fc.assert(
      fc.asyncProperty(paces, async pace => {
        const { connect, started } = programs(kind, pace);
        const statuses: ConnectStatus[] = [];
        const options = {
          onWarning: () => {},
          onStatus: (status: ConnectStatus) => void statuses.push(status),
        };
        const client = await inTime(connect({ command: 'x' }, options), 600_000);
        const { best, isMute } = createServer(kind);
        expect(client.revision).toBe(best);
        expect(await inTime(client.tools(), 60_000)).toHaveLength(1);
        // A server that accepted the handshake is never asked for another one.
        for (const { greetings } of started) expect(greetings.sent).toBeLessThanOrEqual(1);
        expect(started.length).toBeLessThanOrEqual(3);
        // What rests on silence is marked, and nothing else.
        expect(client.negotiated.doubtful ?? false).toBe(isMute);
        expect(statuses.at(-1)).toEqual({ kind: 'connected', revision: best });
        await client.close();
      }),
      { numRuns: 40 },
    );
  },
);

test('an outcome that rests on silence is not relied on', async () => {
  const kind = 'of the old era that ignores what it does not know';
  const { connect } = programs(kind, { startMs: 0, answerMs: [0], greets: true });
  const first = await inTime(connect({ command: 'x' }, { onWarning: () => {} }), 60_000);
  const statuses: string[] = [];
  await inTime(
    connect(
      { command: 'x' },
      {
        negotiated: JSON.parse(JSON.stringify(first.negotiated)),
        onStatus: ({ kind }) => statuses.push(kind),
        onWarning: () => {},
      },
    ),
    60_000,
  );
  expect(statuses).toContain('probing');
});

test('a server that may speak a newer revision is warned of, with the reason', async () => {
  const kind = 'of the old era that ignores what it does not know';
  const { connect } = programs(kind, { startMs: 0, answerMs: [0], greets: true });
  const warnings: string[] = [];
  await inTime(connect({ command: 'x' }, { onWarning: text => void warnings.push(text) }), 60_000);
  expect(warnings).toEqual([
    'the server is spoken to in revision 2025-11-25, but may speak a newer one (it did not answer server/discover); the next connection probes it again',
  ]);
});
