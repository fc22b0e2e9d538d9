import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS, Attacker, greedyLines } from './filling-attacks.js';
import { HttpChild } from './http-child.js';
import { legacy, modern, openSession, textOf } from './messages.js';
import { RawConnection, type RawRequest, requestBytes } from './raw-http.js';
import { StdioChild } from './stdio-child.js';

/** How many times as much as every day. */
const FACTOR = Number(process.env.FILLING ?? 1);
const timeout = 60_000 * FACTOR;
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };

let child: HttpChild;
beforeAll(async () => {
  child = await HttpChild.start('small-server.ts', SMALL_HEAP);
});
afterAll(() => {
  expect(child.errors).toBe('');
  child.kill();
});

/** How many calls a client makes after everything was sent, so that the server has seen it. */
const LAST_CALLS = 30;

/** A client that calls one after the other over one connection. `stop` resolves some calls later. */
function keepCalling(request: RawRequest): { stop(): Promise<void> } {
  let left = Number.POSITIVE_INFINITY;
  const calling = (async () => {
    const connection = await RawConnection.open(child.port);
    while (left-- > 0) {
      connection.send(requestBytes(request));
      expect(textOf(await connection.response())).toBe('1');
    }
    connection.destroy();
  })();
  calling.catch(() => {});
  return {
    stop() {
      left = LAST_CALLS;
      return calling;
    },
  };
}

// A server of 256 MB, and everything that we know to fill it with.
test.for(Object.entries(ATTACKS))(
  'a server goes on to serve another client while it gets: %s',
  { timeout },
  async ([, { run, times }]) => {
    const params = { name: 'echo', arguments: { value: 1 } };
    const others = [
      keepCalling(modern('tools/call', params)),
      keepCalling(legacy(await openSession(child.port), 'tools/call', params)),
    ];
    const attacker = new Attacker(child.port);
    await run(attacker, times * FACTOR);
    await Promise.all(others.map(other => other.stop()));
    attacker.end();
  },
);

test.for(['modern', 'legacy'])(
  'a server on stdio holds little for a client that does not read, and answers when it does (%s)',
  { timeout },
  async era => {
    const stdio = StdioChild.forTest({ ...SMALL_HEAP, STDIO: '1' }, 'small-server.ts');
    if (era === 'legacy') await stdio.initialize();
    stdio.process.stdout!.pause();
    const lines = greedyLines(era, 100 * FACTOR);
    for (const line of lines) stdio.write(line);
    stdio.process.stdout!.resume();
    await stdio.until(() => stdio.messages.length >= lines.length);
    expect(stdio.errors).toBe('');
  },
);
