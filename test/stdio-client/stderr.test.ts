import { expect, test } from 'vitest';
import { type CannotConnect, connect } from '../../src/node/client/index.js';
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

test('the line that names the error is told, though details of it follow', async () => {
  const opened = await Opened.start({ command: process.execPath, args: ['-e', "require('/nowhere/x')"] });
  const { message } = (await opened.reason()) as Error;
  expect(message).toContain("the end of its stderr:\nError: Cannot find module '/nowhere/x'\n…\n");
  expect(message).not.toContain('    at ');
  expect(message.endsWith(`Node.js ${process.version}`)).toBe(true);
});

test('what a program says each time before it ends is told once', async () => {
  const command = { command: process.execPath, args: ['-e', "require('/nowhere/x')"] };
  const error = (await connect(command, { onWarning: () => {} }).catch(error => error)) as CannotConnect;
  expect(error.attempts).toHaveLength(2);
  expect(error.message.match(/Cannot find module/g)).toHaveLength(1);
  expect(error.message).toContain('  - initialize: the same again');
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
