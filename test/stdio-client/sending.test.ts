import { describe, expect, test } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { ConnectionError } from '../../src/protocol/failures.js';
import { fixture, Opened, shell } from './opened.js';

describe('send', () => {
  test('waits for a server that does not read', async () => {
    const opened = await Opened.start(fixture('late-reader.mjs'));
    await opened.message();
    let isSent = false;
    const text = `{"x":"${'x'.repeat(4_000_000)}"}`;
    const sent = Promise.resolve(opened.transport.send(text)).then(() => {
      isSent = true;
    });
    for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
    expect(isSent).toBe(false);
    process.kill(opened.transport.pid!, 'SIGUSR1');
    await sent;
    expect(await opened.message(1)).toEqual({ bytes: text.length + 1 });
  });

  test('rejects if the server exits before it has read', async () => {
    const opened = await Opened.start(fixture('late-reader.mjs'));
    await opened.message();
    const sent = opened.transport.send('x'.repeat(4_000_000));
    process.kill(opened.transport.pid!, 'SIGKILL');
    await expect(sent).rejects.toThrow('cannot send to the server: its process has exited');
    await expect(sent).rejects.toBeInstanceOf(ConnectionError);
  });

  test('rejects if the server has closed its input, and the process lives on', async () => {
    const opened = await Opened.start({
      ...shell(`exec 0<&-; echo '{"ready":true}'; sleep 1000`),
      graceMs: 50,
    });
    await opened.message();
    for (let n = 0; n < 3; n++) {
      await expect(opened.transport.send('{}')).rejects.toThrow('has closed its input');
    }
    // Nobody waits for these: they must not become unhandled rejections.
    for (let n = 0; n < 3; n++) void opened.transport.send('{}');
    expect(opened.closings).toEqual([]);
  });

  test('rejects after the end', async () => {
    const opened = await Opened.start(shell('exit 0'));
    await opened.reason();
    await expect(opened.transport.send('{}')).rejects.toThrow('its process has exited');
    await opened.transport.close();
    await expect(opened.transport.send('{}')).rejects.toThrow('the transport is closed');
  });

  // covers: 2025-06-18/transports/stdio-client-writes-no-newlines-in-messages
  // covers: 2026-07-28/stdio/no-newline-in-a-message
  test('takes one line only', async () => {
    const opened = await Opened.start(shell('cat'));
    await expect(opened.transport.send('{}\n{}')).rejects.toThrow('a message must be one line');
    await expect(opened.transport.send('{}\r{}')).rejects.toThrow('a message must be one line');
  });

  test('keeps the order of messages that nobody waits for', async () => {
    const opened = await Opened.start(shell('cat'));
    for (let n = 0; n < 2000; n++) void opened.transport.send(`{"n":${n}}`);
    await opened.message(1999);
    expect(opened.messages).toEqual(Array.from({ length: 2000 }, (_, n) => ({ n })));
  });
});

test('calls to a server that does not read are refused when too much waits for it, and only until it reads', async () => {
  await using client = await connect(fixture('pausing-server.mjs'));
  const text = 'x'.repeat(10_000_000);
  const pid = pidOf(await client.callTool('stop'));
  const waiting = [1, 2, 3].map(() => client.callTool('echo', { text }));
  const refused = await client.callTool('echo', { text }).catch(error => error);
  expect(refused).toBeInstanceOf(ConnectionError);
  expect(refused.message).toContain('this message was not sent: the server does not read');
  expect(refused.hadNoEffect).toBe(true);
  process.kill(pid, 'SIGUSR1');
  expect(await Promise.all(waiting)).toHaveLength(3);
  expect(await client.callTool('echo', { text })).toMatchObject({ content: [{ text: 'done' }] });
});

/** The process id in the text of a result. */
function pidOf({ content }: { content: unknown[] }): number {
  return Number((content[0] as { text: string }).text);
}
