import { describe, expect, test } from 'vitest';
import { fixture, Opened, shell } from './opened.js';

/** A server that writes these bytes, each piece by itself. */
function writing(...pieces: (string | Uint8Array)[]) {
  return fixture('bytes.mjs', ...pieces.map(piece => Buffer.from(piece as string).toString('base64')));
}

describe('what a server writes to stdout', () => {
  // covers: 2025-06-18/transports/client-messages-are-utf-8
  test('may be split at any byte', async () => {
    const line = Buffer.from('{"text":"añ€😀"}\n');
    const opened = await Opened.start(writing(...Array.from(line, byte => Buffer.of(byte))));
    expect(await opened.message()).toEqual({ text: 'añ€😀' });
    expect(opened.problems).toEqual([]);
  });

  test('may be many messages at once, with blank lines and CR LF', async () => {
    const opened = await Opened.start(writing('\n\r\n  \n{"n":1}\r\n\n \t{ "n": 2 }\n[{"n":3}]\n\n'));
    expect(await opened.message(2)).toEqual([{ n: 3 }]);
    expect(opened.messages.slice(0, 2)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(opened.problems).toEqual([]);
  });

  test.for([
    ['words', 'Server is listening', 'it is not a message: "Server is listening"'],
    ['a log', '[INFO] started', 'it is not a message: "[INFO] started"'],
    ['an object that was printed', "{ name: 'server' }", `it is not a message: "{ name: 'server' }"`],
    ['colours', '\u001b[32mok\u001b[0m', 'it is not a message: "\\u001b[32mok\\u001b[0m"'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'it is not valid UTF-8'],
    ['a cut off character', Buffer.from([0x7b, 0x22, 0xc3]), 'it is not valid UTF-8'],
    ['too much', Buffer.alloc(16 * 1024 * 1024 + 1, '{'), 'it is longer than 16777216 bytes'],
  ] as const)('may hold %s, which is skipped', async ([, junk, reason]) => {
    const opened = await Opened.start(
      junk.length > 1000
        ? shell(`head -c ${junk.length} /dev/zero; echo; echo '{"after":"junk"}'; cat`)
        : writing(junk, '\n{"after":"junk"}\n'),
    );
    expect(await opened.message()).toEqual({ after: 'junk' });
    expect(opened.problems).toEqual([`skipped a line on the server's stdout: ${reason}`]);
    expect(opened.closings).toEqual([]);
  });

  test('is quoted only in part where it is skipped', async () => {
    const opened = await Opened.start(writing(`${'x'.repeat(10_000)}\n{"after":"junk"}\n`));
    await opened.message();
    expect(opened.problems[0]!.length).toBeLessThan(300);
  });

  test('is all read before the end is told', async () => {
    const opened = await Opened.start(
      shell(`i=0; while [ $i -lt 5000 ]; do echo "{\\"n\\":$i}"; i=$((i+1)); done`),
    );
    expect(await opened.reason()).toBeInstanceOf(Error);
    expect(opened.messages).toEqual(Array.from({ length: 5000 }, (_, n) => ({ n })));
  });

  test('may end within a message, which is then none', async () => {
    const opened = await Opened.start(shell(`printf '{"whole":1}\\n{"half":'; kill -9 $$`));
    expect((await opened.reason())?.message).toBe('the server process was killed by SIGKILL');
    expect(opened.messages).toEqual([{ whole: 1 }]);
    expect(opened.problems).toEqual(['the server ended in the middle of a line on its stdout']);
  });
});
