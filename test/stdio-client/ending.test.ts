import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionError } from '../../src/protocol/failures.js';
import { expectNoneWith, isAlive, marked } from './marked.js';
import { fixture, Opened, shell } from './opened.js';

const MILD = {};
const STUBBORN = { isStubborn: true };

describe('when a server exits by itself', () => {
  test.for([
    ['exit 3', 'the server process exited with code 3'],
    ['exit 0', 'the server process exited with code 0'],
    ['kill -9 $$', 'the server process was killed by SIGKILL'],
    [
      'echo first >&2; echo second >&2; exit 1',
      'the server process exited with code 1; the end of its stderr:\nfirst\nsecond',
    ],
    [
      'for n in 1 2 3 4 5 6 7; do echo "line $n" >&2; echo >&2; done; exit 1',
      'the server process exited with code 1; the end of its stderr:\nline 3\nline 4\nline 5\nline 6\nline 7',
    ],
  ] as const)('with %s, the reason is told', async ([script, reason]) => {
    const opened = await Opened.start(shell(script));
    const error = await opened.reason();
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error?.message).toBe(reason);
    await opened.transport.close();
    expect(opened.closings).toHaveLength(1);
  });

  test('a reason quotes only so much', async () => {
    const opened = await Opened.start(shell('head -c 50000 /dev/zero | tr "\\0" x >&2; exit 1'));
    expect((await opened.reason())?.message.length).toBeLessThan(1200);
  });

  test('what it has started ends, too, even what ignores SIGTERM', async () => {
    const { command, mark } = marked(
      fixture('family.mjs', JSON.stringify({ children: [MILD, STUBBORN], exitCode: 4 })),
    );
    const opened = await Opened.start({ ...command, graceMs: 100 });
    expect((await opened.reason())?.message).toBe('the server process exited with code 4');
    expect((await opened.message()).pids).toHaveLength(2);
    await expectNoneWith(mark);
  });

  test('what it has started in groups of its own ends, too', async () => {
    const { command, mark } = marked({
      command: 'bash',
      args: ['-c', `set -m; sleep 1000 & sleep 1000 & echo '{"ready":true}'; kill -9 $$`],
    });
    const opened = await Opened.start(command);
    expect((await opened.reason())?.message).toBe('the server process was killed by SIGKILL');
    await expectNoneWith(mark);
  });

  test('the end is told even if somebody that cannot be found holds its output', async () => {
    const children = [{ isDetached: true, holdsOutput: true }];
    const opened = await Opened.start(fixture('family.mjs', JSON.stringify({ children, exitCode: 0 })));
    const [pid] = (await opened.message()).pids;
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    expect((await opened.reason())?.message).toBe('the server process exited with code 0');
    await opened.transport.close();
  });
});

describe('when a server closes its output', () => {
  test('and exits when its input ends, the reason is how it exited', async () => {
    const opened = await Opened.start(shell('exec 1>&-; read line; exit 5'));
    expect((await opened.reason())?.message).toBe('the server process exited with code 5');
  });

  test('and does not exit, it is ended', async () => {
    const { command, mark } = marked(shell('exec 1>&-; sleep 1000'));
    const opened = await Opened.start({ ...command, graceMs: 100 });
    expect((await opened.reason())?.message).toBe('the server process closed its output, but did not exit');
    await expectNoneWith(mark);
  });
});
