import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Attacker } from './attacker.js';
import { ATTACKS } from './filling-attacks.js';
import { HttpChild } from './http-child.js';
import { ENVELOPE, legacy, modern, openSession, textOf } from './messages.js';
import { RawConnection, type RawRequest, requestBytes } from './raw-http.js';
import { ERAS, linesOf, STDIO_ATTACKS } from './stdio-attacks.js';
import { StdioChild } from './stdio-child.js';

/** How many times as much as every day. */
const FACTOR = Number(process.env.FILLING ?? 1);
const timeout = 300_000 * FACTOR;
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };

/** How many calls a client makes after everything was sent, so that the server has seen it. */
const LAST_CALLS = 30;

/** A client that calls one after the other over one connection. `stop` resolves some calls later. */
function keepCalling(
  port: number,
  request: RawRequest,
  localAddress: string | undefined,
): { stop(): Promise<void> } {
  let left = Number.POSITIVE_INFINITY;
  const calling = (async () => {
    const connection = await RawConnection.open(port, undefined, localAddress);
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

// A server of 256 MB, and everything that we know to fill it with. Two nodes are tried in the long form only.
describe.for(FACTOR > 1 ? [1, 2] : [1])('a server of %i node(s)', nodes => {
  let child: HttpChild;
  beforeAll(async () => {
    child = await HttpChild.start('small-server.ts', { ...SMALL_HEAP, NODES: String(nodes) });
  });
  afterAll(() => {
    expect(child.errors).toBe('');
    child.kill();
  });

  test.for(Object.entries(ATTACKS))(
    'goes on to serve another client while it gets: %s',
    { timeout },
    async ([, attack]) => {
      const params = { name: 'echo', arguments: { value: 1 } };
      const address = attack.othersFrom;
      const session = await openSession(child.port, { localAddress: address });
      const others = child.ports.flatMap(port => [
        keepCalling(port, modern('tools/call', params), address),
        keepCalling(port, legacy(session, 'tools/call', params), address),
      ]);
      const attacker = new Attacker(...child.ports);
      onTestFinished(() => attacker.end());
      await attacker.run(attack, FACTOR);
      await Promise.all(others.map(other => other.stop()));
    },
  );
});

test.for(
  ERAS.flatMap(era => Object.entries(STDIO_ATTACKS).map(([name, attack]) => [era, name, attack] as const)),
)(
  'a server on stdio goes on to answer when its client reads again, after it got (%s): %s',
  { timeout },
  async ([era, , attack]) => {
    const stdio = StdioChild.forTest({ ...SMALL_HEAP, STDIO: '1' }, 'small-server.ts');
    if (era === 'legacy') await stdio.initialize();
    stdio.process.stdout!.pause();
    for (const line of linesOf(attack, era, FACTOR)) stdio.write(line);
    stdio.process.stdout!.resume();
    if (attack.isAnswered) await stdio.until(() => stdio.messages.length >= attack.times * FACTOR);
    const params = { name: 'echo', arguments: { value: 1 }, ...(era === 'modern' && { _meta: ENVELOPE }) };
    stdio.send({ id: 'last', method: 'tools/call', params });
    expect(await stdio.textOf('last')).toBe('1');
    expect(stdio.errors).toBe('');
  },
);
