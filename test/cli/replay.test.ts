import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveV1 } from '../interop-client/servers/v1-http.js';
import { describeForeign } from './foreign.js';
import { processesWith } from './processes.js';
import { TENON, tenon } from './run.js';
import { start } from './running.js';
import { BISTRO_PROGRAM, badProgram, useBistro } from './servers.js';
import { temporaryFolder } from './temporary-folder.js';

/** Runs `tenon` with each of these words against a URL, and records it into the file. */
async function recordHttp(file: string, url: string, ...commands: (readonly string[])[]): Promise<string> {
  const trace = start(['trace', url, '--json', '--record', file]);
  const address = await trace.line(({ address }) => address as string | undefined);
  for (const [command = '', ...words] of commands) {
    const { code, stderr } = await tenon([command, address, ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  await trace.end();
  return file;
}

/** Runs `tenon` with these words against a program over stdio, and records it. */
async function recordStdio(program: readonly string[], command: readonly string[]): Promise<string> {
  const file = join(await temporaryFolder(), 'trace.jsonl');
  const traced = [process.execPath, TENON, 'trace', '--stdio', '--record', file, '--', ...program];
  const { code } = await tenon([...command, '--', ...traced]);
  expect(code).toBe(0);
  return file;
}

describeForeign(server => {
  it('is played a recording of HTTP over HTTP and over stdio, without differences', async () => {
    const calls = server.calls.map(call => ['call', ...call]);
    const file = join(await temporaryFolder(), 'trace.jsonl');
    await recordHttp(file, server.url, ['list', 'tools'], ...calls);
    const [http, stdio] = [
      await tenon(['replay', file, server.url]),
      await tenon([
        'replay',
        file,
        '--ignore',
        '$.serverInfo',
        '--ignore',
        '$.capabilities',
        '--',
        ...server.program,
      ]),
    ];
    expect(http).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('no differences') });
    for (const [name = ''] of server.calls) expect(http.stdout).toContain(`✓ tools/call ${name}`);
    expect(stdio).toMatchObject({ code: 0, stdout: expect.stringContaining('no differences') });
  });

  it('is played a recording of stdio over stdio, without differences', async () => {
    for (const call of server.calls) {
      const file = await recordStdio(server.program, ['call', ...call]);
      const { code, stdout } = await tenon(['replay', file, '--', ...server.program]);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining(`✓ tools/call ${call[0]}`),
      });
    }
  });
});

describe('tenon replay', () => {
  const bistro = useBistro();
  const party = [
    'call',
    'book_party',
    '--occasion',
    'wedding',
    '--answer',
    '{"guests": 6, "diet": "vegan", "terrace": true}',
  ];
  let recording: Promise<string> | undefined;
  const recordParty = async () => {
    const file = join(await temporaryFolder(), 'trace.jsonl');
    return readFile(await recordHttp(file, bistro.url, party), 'utf8');
  };
  /** A file with the recording of a party, changed for the test. It is recorded once. */
  const recorded = async (change: (text: string) => string = text => text) => {
    recording ??= recordParty();
    const file = join(await temporaryFolder(), 'trace.jsonl');
    await writeFile(file, change(await recording));
    return file;
  };
  const withOtherGuests = (text: string) => text.replaceAll('wedding: 6 guests', 'wedding: 7 guests');

  it('shows what differs, with its path, and exits with 5', async () => {
    const file = await recorded(withOtherGuests);
    const { code, stdout } = await tenon(['replay', file, bistro.url]);
    expect(code).toBe(5);
    expect(stdout).toContain('✗ tools/call book_party occasion: "wedding"');
    expect(stdout).toMatch(
      /\$\.result\.content\[0\]\.text\n +- "Booked the wedding: 7.*\n +\+ "Booked the wedding: 6/,
    );
    expect(stdout).toContain('1 with differences');
  });

  it('prints differences as JSON', async () => {
    const file = await recorded(withOtherGuests);
    const { code, stdout } = await tenon(['replay', file, bistro.url, '--json']);
    expect(code).toBe(5);
    const { requests, differing } = JSON.parse(stdout);
    expect(requests).toBe(2);
    expect(differing[0]).toMatchObject({ method: 'tools/call', line: expect.any(Number) });
    expect(differing[0].differences).toContainEqual({
      path: '$.result.content[0].text',
      recorded: expect.stringContaining('7 guests'),
      now: expect.stringContaining('6 guests'),
    });
  });

  it('ignores the paths that the user names', async () => {
    const file = await recorded(withOtherGuests);
    for (const path of ['$..text', '$.result.content[*].text', '$.result.*[0]']) {
      expect(await tenon(['replay', file, bistro.url, '--ignore', path])).toMatchObject({ code: 0 });
    }
  });

  it('ignores times, UUIDs, sealed states and other values that change with every run', async () => {
    const file = await recorded(text =>
      text
        .replace(/"ttlMs":\d+/g, '"ttlMs":1')
        .replaceAll('"_meta":{', '"_meta":{"com.example/at":"2020-01-01T00:00:00Z",'),
    );
    expect(await tenon(['replay', file, bistro.url])).toMatchObject({ code: 0 });
  });

  it('answers questions as they were answered, over HTTP and stdio, in another revision, too', async () => {
    const file = await recorded();
    for (const target of [[bistro.url], [bistro.url, '--revision', '2025-11-25'], BISTRO_PROGRAM]) {
      const { stdout } = await tenon(['replay', file, '--ignore', '$.result.tools', ...target]);
      expect(stdout).toContain('✓ tools/call book_party');
    }
  });

  it('reports a question that is no longer asked', async () => {
    const file = await recorded(text =>
      text.replaceAll(
        '"name":"book_party","arguments":{"occasion":"wedding"}',
        '"name":"list_tables","arguments":{}',
      ),
    );
    const { code, stdout } = await tenon(['replay', file, bistro.url]);
    expect(code).toBe(5);
    expect(stdout).toContain('✗ elicitation/create');
  });

  it('warns of arguments that are masked in the recording', async () => {
    const file = await recorded(text => text.replaceAll('"occasion":"wedding"', '"occasion":"[masked]"'));
    const { stderr } = await tenon(['replay', file, bistro.url]);
    expect(stderr).toContain('have masked arguments');
  });

  it.each([
    ['is empty', () => '', 'is empty', 'Record one'],
    ['is no recording', () => '{"tools":[]}\n', 'is no recording of tenon', 'Record one'],
    [
      'is of a newer version',
      (text: string) => text.replace('"tenonTrace":1', '"tenonTrace":2'),
      'newer tenon',
      'Update',
    ],
    ['is cut', (text: string) => text.slice(0, -20), /is cut: line \d+ ends in the middle/, 'Delete line'],
    ['is damaged', (text: string) => text.replace('\n{', '\n{{'), 'line 2 of', 'Delete line 2'],
    [
      'has no request',
      (text: string) => `${text.split('\n')[0]}\n`,
      'no request that could be played',
      'Record again',
    ],
  ])('says so if the file %s, with what to do', async (_, change, message, next) => {
    const file = await recorded(change);
    const { code, stdout, stderr } = await tenon(['replay', file, bistro.url]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.split('\nnext: ')[1]).toContain(next);
  });

  it.each([
    [['no-such-file.jsonl', 'http://127.0.0.1:9/mcp'], 2, 'there is no such file'],
    [['x.jsonl', 'http://127.0.0.1:9/mcp', '--ignore', 'price'], 2, 'It is a JSON path'],
  ])('refuses %j', async (args, code, message) => {
    const outcome = await tenon(['replay', ...args]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(message);
  });

  it('names the revision that a server speaks if it does not speak the recorded one', async () => {
    const old = await serveV1();
    onTestFinished(() => old.close());
    const file = await recorded();
    const refused = await tenon(['replay', file, `${old.origin}/mcp`]);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain(
      'does not speak revision 2026-07-28, in which the requests were recorded',
    );
    const [, proposed = ''] = refused.stderr.split(/next: .*(?=--revision)/);
    const played = await tenon(['replay', file, `${old.origin}/mcp`, ...proposed.trim().split(' ')]);
    expect(played).toMatchObject({ code: 5, stderr: '' });
  });

  it.each([
    ['is out of reach', ['http://127.0.0.1:9/mcp'], 3],
    ['dies at once', badProgram('dies'), 3],
    ['never answers', ['--timeout', '1', ...badProgram('silent')], 6],
    ['is no MCP server', badProgram('no server'), 3],
  ])('explains a target that %s', async (_, target, exitCode) => {
    const file = await recorded();
    const { code, stderr } = await tenon(['replay', file, ...target]);
    expect(code).toBe(exitCode);
    expect(stderr).toContain('\nnext: ');
  });

  it.each(['floods', 'noisy', 'recursive', 'large'])(
    'plays against a server that behaves badly: %s',
    async way => {
      const file = await recordStdio(badProgram(way).slice(1), ['list', 'tools']);
      expect(await tenon(['replay', file, ...badProgram(way)])).toMatchObject({ code: 0 });
    },
  );

  it('ends with Ctrl+C while a request hangs, and leaves no program running', async () => {
    const mark = `mark-replay-${process.pid}`;
    const file = await recordStdio(badProgram('noisy').slice(1), ['call', 'hello']);
    let isSent = false;
    const { code } = await tenon(['replay', file, '--verbose', ...badProgram('hangs in a call'), mark], {
      onStderr(text, kill) {
        if (isSent || !text.includes('connected to')) return;
        isSent = true;
        kill('SIGINT');
      },
    });
    expect(code).toBe(130);
    expect(await processesWith(mark)).toEqual([]);
  });
});
