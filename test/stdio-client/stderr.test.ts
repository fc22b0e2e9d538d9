import { expect, test } from 'vitest';
import { runClient } from './client.js';
import { Opened, shell } from './opened.js';

test('what a server writes to stderr is told, and its end is kept', async () => {
  const told: string[] = [];
  const opened = await Opened.start({
    ...shell(`head -c 1000000 /dev/zero | tr '\\0' x >&2; printf 'the end: añ€😀' >&2; exit 1`),
    onStderr: text => told.push(text),
  });
  await opened.reason();
  expect(told.join('')).toBe(`${'x'.repeat(1_000_000)}the end: añ€😀`);
  expect(opened.transport.stderr.length).toBe(64 * 1024);
  expect(opened.transport.stderr.endsWith('xxx' + 'the end: añ€😀')).toBe(true);
});

test('stderr can be ignored', async () => {
  const opened = await Opened.start({ ...shell('echo noise >&2; exit 1'), stderr: 'ignore' });
  expect((await opened.reason())?.message).toBe('the server process exited with code 1');
  expect(opened.transport.stderr).toBe('');
});

test('stderr can go where that of this process goes', async () => {
  const client = await runClient(
    { ...shell(`echo noise >&2; echo '{"m":1}'; cat`), stderr: 'inherit' },
    'close',
  );
  expect(client.errors).toBe('noise\n');
});
