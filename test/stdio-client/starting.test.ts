import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ConnectionError } from '../../src/protocol/failures.js';
import { fixture, Opened, shell } from './opened.js';

const folder = realpathSync(mkdtempSync(`${tmpdir()}/tenon-`));
afterAll(() => rmSync(folder, { recursive: true }));

function script(name: string, text: string, mode: number): string {
  writeFileSync(`${folder}/${name}`, text);
  chmodSync(`${folder}/${name}`, mode);
  return `${folder}/${name}`;
}

describe('a server', () => {
  // covers: 2025-06-18/transports/client-messages-are-utf-8
  test('gets messages and answers them', async () => {
    const opened = await Opened.start(fixture('echo.mjs'));
    expect(opened.transport.pid).toBeGreaterThan(0);
    await opened.transport.send('{"id":1}');
    await opened.transport.send('{"id":2,"text":"añ€😀"}');
    expect(await opened.message(1)).toEqual({ id: 2, text: 'añ€😀' });
    expect(opened.messages[0]).toEqual({ id: 1 });
  });

  test('runs without a shell, in the folder that was given', async () => {
    const opened = await Opened.start({ ...fixture('environment.mjs', '$HOME; exit 1'), cwd: folder });
    expect((await opened.message()).cwd).toBe(folder);
  });

  // covers: 2025-06-18/basic/stdio-takes-credentials-from-the-environment
  // covers: 2025-06-18/authorization/stdio-uses-the-environment
  // covers: 2026-07-28/authorization/stdio-uses-the-environment
  // covers: 2026-07-28/basic/stdio-takes-credentials-from-the-environment
  test('inherits only what it needs, and gets what it was given', async () => {
    vi.stubEnv('TENON_TEST_SECRET', 'hunter2');
    vi.stubEnv('LC_TENON', '() { :; }; exit');
    const opened = await Opened.start({ ...fixture('environment.mjs'), env: { TOKEN: 'given' } });
    const { env } = await opened.message();
    expect(env).toMatchObject({ PATH: process.env.PATH, TOKEN: 'given' });
    expect(env).not.toHaveProperty('TENON_TEST_SECRET');
    expect(env).not.toHaveProperty('LC_TENON');
    vi.unstubAllEnvs();
  });
});

describe('start says what is wrong', () => {
  test.for([
    ['a missing command', { command: 'tenon-no-such' }, 'no such command; is it installed and on PATH?'],
    ['a missing file', { command: `${folder}/none` }, 'no such command; is it installed and on PATH?'],
    [
      'a file that must not be run',
      { command: script('data', '', 0o644) },
      'permission denied; is it an executable file?',
    ],
    [
      'a script for a missing interpreter',
      { command: script('odd', '#!/no/such/interpreter\n', 0o755) },
      'the interpreter that its first line names does not exist',
    ],
    [
      'a missing folder',
      { command: 'sh', cwd: `${folder}/none` },
      `the working directory "${folder}/none" does not exist`,
    ],
    [
      'a folder that is a file',
      { command: 'sh', cwd: script('file', '', 0o644) },
      `the working directory "${folder}/file" is not a directory`,
    ],
  ] as const)('about %s', async ([, command, reason]) => {
    const opened = new Opened(command);
    const error = await opened.start().catch(error => error);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`cannot start "${command.command}": ${reason}`);
    expect(error.cause).toHaveProperty('code');
    expect(opened.closings).toEqual([]);
    expect(opened.transport.pid).toBeUndefined();
    expect(() => opened.transport.send('{}')).toThrow('start the transport before sending');
    await opened.transport.close();
  });

  test('about what no process can be given', async () => {
    await expect(new Opened({ command: '' }).start()).rejects.toThrow('cannot start "": ');
    await expect(new Opened({ command: 'sh', args: ['a\0b'] }).start()).rejects.toThrow(
      'cannot start "sh": ',
    );
    await expect(new Opened({ command: 'sh', args: ['x'.repeat(1e7)] }).start()).rejects.toThrow('E2BIG');
  });

  test('about a second start, and one after the end', async () => {
    const opened = await Opened.start(shell('cat'));
    await expect(opened.start()).rejects.toThrow('started already');
    await opened.transport.close();
    await expect(opened.start()).rejects.toThrow('the transport is closed');
    const unused = new Opened(shell('cat'));
    await unused.transport.close();
    await expect(unused.start()).rejects.toThrow('the transport is closed');
  });
});
