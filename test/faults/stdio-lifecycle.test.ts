import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { INITIALIZE, MODERN } from './messages.js';
import { memoryOf, StdioChild } from './stdio-child.js';

const MiB = 1024 * 1024;
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };

describe('when standard input ends', () => {
  // covers: 2026-07-28/stdio/server-exits-with-its-input
  test('a call that is under way is still answered, and the process exits with 0', async () => {
    const child = StdioChild.forTest();
    child.call(1, 'soon', {}, LOGS);
    await child.find(({ method }) => method === 'notifications/message');
    child.process.stdin!.end();
    expect(await child.textOf(1)).toBe('soon enough');
    expect(await child.exit).toBe(0);
    expect(child.errors).toBe('');
  });

  test('a call that never ends is aborted after the grace time, and the process exits with 0', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100' });
    child.call(1, 'slow', {}, LOGS);
    await child.find(({ method }) => method === 'notifications/message');
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
    expect(child.errors).toContain('aborted');
  });

  test('a call of a session that never ends is aborted, too', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100' });
    await child.initialize();
    child.send({ id: 1, method: 'tools/call', params: { name: 'slow' } });
    await child.find(({ method }) => method === 'notifications/message');
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
    expect(child.errors).toContain('aborted');
  });

  test('a handshake that never ends does not keep the process', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100', HANG_INITIALIZE: '1' });
    child.send({ id: 1, method: 'initialize', params: INITIALIZE });
    child.send({ id: 2, method: 'ping' });
    await child.answer(2);
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
  });

  test('an answer that nobody reads does not keep the process', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100' });
    child.call(1, 'echo', { value: 1 });
    await child.answer(1);
    child.process.stdout!.pause();
    child.call(2, 'big', { bytes: 0.7 * MiB });
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
  });

  test('a listen request ends with its result', async () => {
    const child = StdioChild.forTest();
    child.ask('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await child.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    child.process.stdin!.end();
    expect(await child.answer('l')).toMatchObject({ id: 'l', result: { resultType: 'complete' } });
    expect(await child.exit).toBe(0);
  });

  // covers: 2026-07-28/stdio/server-exits-with-its-input
  test('at once, the process exits with 0 and says nothing', async () => {
    const child = StdioChild.forTest();
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
    expect([child.messages, child.errors]).toEqual([[], '']);
  });

  test('a large answer is written to its end', async () => {
    const child = StdioChild.forTest();
    child.call(1, 'big', { bytes: 3 * MiB });
    child.process.stdin!.end();
    expect(await child.textOf(1)).toHaveLength(3 * MiB);
    expect(await child.exit).toBe(0);
  });
});

describe('standard output', () => {
  let child: StdioChild;
  beforeAll(() => {
    child = new StdioChild();
    return () => child.kill();
  });

  // covers: 2025-06-18/transports/stdio-server-writes-only-messages
  // covers: 2026-07-28/stdio/stdout-has-only-messages
  test('carries nothing but messages, whatever a tool or its children print', async () => {
    child.call(1, 'noisy');
    expect(await child.textOf(1)).toBe('done');
    expect(child.messages).toHaveLength(1);
    for (const printed of [
      'console.log of a tool',
      'info: true',
      'process.stdout.write of a tool',
      'with a callback',
      'bytes of a tool',
      'a child that is printed',
      'piped '.repeat(100_000),
    ]) {
      await child.until(() => child.errors.includes(printed));
    }
  });

  test('does not hold up a tool that prints more than standard error takes at once', async () => {
    child.process.stderr!.pause();
    child.call(2, 'noisy');
    await stalled(child);
    expect(child.messages).toHaveLength(1);
    child.process.stderr!.resume();
    expect(await child.textOf(2)).toBe('done');
  });

  test('does not tell why a tool failed; standard error does', async () => {
    child.call(3, 'fail');
    expect((await child.answer(3)).result).toMatchObject({
      isError: true,
      content: [{ text: 'tool "fail" failed' }],
    });
    await child.until(() => child.errors.includes('hunter2'));
    expect(JSON.stringify(child.messages)).not.toContain('hunter2');
  });

  test('goes on if nobody wants standard error', async () => {
    const child = StdioChild.forTest();
    child.call(1, 'echo', { value: 1 });
    await child.answer(1);
    child.process.stderr!.destroy();
    for (let id = 2; id < 20; id++) {
      child.call(id, 'chatter', { lines: 100 });
      expect(await child.textOf(id)).toBe('done');
    }
    child.call('f', 'fail');
    expect((await child.answer('f')).result.isError).toBe(true);
    child.process.stdin!.end();
    expect(await child.exit).toBe(0);
  });

  // covers: 2026-07-28/progress/progress-stops, 2026-07-28/stdio/cancelled-work-stops
  // covers: 2026-07-28/stdio/nothing-after-cancellation
  test('says nothing about a request after its answer, nor after it was cancelled', async () => {
    const child = StdioChild.forTest();
    await child.initialize();
    child.call(1, 'talk', {}, { ...LOGS, progressToken: 1 });
    child.send({ id: 2, method: 'tools/call', params: { name: 'talk', _meta: { progressToken: 2 } } });
    child.call(3, 'slow', {}, LOGS);
    await child.find(({ params }) => params?.data === 'begun');
    child.send({ method: 'notifications/cancelled', params: { requestId: 3, reason: 'enough' } });
    await child.until(() => child.errors.includes('aborted: enough'));
    child.call(4, 'release');
    await child.answer(4);
    // Two rounds, so that whatever `talk` says in a later turn has been said.
    child.call(5, 'soon');
    await child.answer(5);
    const said = child.messages.map(({ id, params }) => String(id ?? params.data));
    expect(said.sort()).toEqual(['1', '2', '4', '5', 'before', 'before', 'begun', 'initialize']);
  });
});

describe('a client that does not read', () => {
  test('costs little memory, and gets everything when it reads again', async () => {
    const child = StdioChild.forTest();
    child.call('ready', 'echo', { value: 1 });
    await child.answer('ready');
    const before = memoryOf(child.pid).peak;
    child.process.stdout!.pause();
    const count = 400;
    const written = Array.from({ length: count }, (_, id) => {
      const params = { name: 'big', arguments: { bytes: MiB / 4 }, _meta: META };
      // Padded, so that the requests themselves do not all fit into what is read at once.
      return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}${' '.repeat(16_000)}\n`;
    });
    // The pipe is full long before all are written; what matters is that the server stops reading.
    for (const line of written) child.write(line);
    child.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' })}\n`);
    await stalled(child);
    const stalledAt = memoryOf(child.pid).peak;
    child.process.stdout!.resume();
    await child.until(() => child.messages.length === count + 2);
    expect(new Set(child.messages.map(({ id }) => id)).size).toBe(count + 2);
    expect(stalledAt - before).toBeLessThan(64 * MiB);
  });

  test('costs little memory if a tool tells it too much', async () => {
    const child = StdioChild.forTest();
    child.call('ready', 'echo', { value: 1 });
    await child.answer('ready');
    const before = memoryOf(child.pid).peak;
    child.process.stdout!.pause();
    child.call(1, 'flood', { messages: 3000, bytes: 64 * 1024 }, LOGS);
    await stalled(child);
    const stalledAt = memoryOf(child.pid).peak;
    child.process.stdout!.resume();
    expect(await child.textOf(1)).toBe('flooded');
    expect(stalledAt - before).toBeLessThan(64 * MiB);
  });

  test('and goes away ends the process', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100' });
    child.call(1, 'flood', { messages: 1e9, bytes: 1024 }, LOGS);
    await child.find(({ method }) => method === 'notifications/message');
    child.process.stdout!.destroy();
    child.process.stdin!.destroy();
    expect(await child.exit).toBe(0);
    expect(child.errors).not.toContain('EPIPE');
  });

  test('and goes away without closing its end of standard input ends the process, too', async () => {
    const child = StdioChild.forTest({ GRACE_MS: '100' });
    child.call(1, 'echo', { value: 1 });
    await child.answer(1);
    child.process.stdout!.destroy();
    child.call(2, 'echo', { value: 2 });
    expect(await child.exit).toBe(0);
  });
});

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Waits until a process makes no more progress: its peak of memory stays, and so does the time it has used. */
async function stalled(child: StdioChild): Promise<void> {
  let last = '';
  for (let unchanged = 0; unchanged < 5; ) {
    await new Promise(resolve => setTimeout(resolve, 100));
    const now = `${memoryOf(child.pid).peak} ${cpuOf(child.pid)}`;
    unchanged = now === last ? unchanged + 1 : 0;
    last = now;
  }
}

/** The time that a process has spent, in clock ticks. */
function cpuOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
}
