import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeForeign } from './foreign.js';
import { processesWith } from './processes.js';
import { tenon } from './run.js';
import { BISTRO_PROGRAM, badProgram, useBistro } from './servers.js';
import { temporaryFolder } from './temporary-folder.js';

/** A path for a snapshot that does not exist yet. */
async function newFile(): Promise<string> {
  return join(await temporaryFolder(), 'snapshot.json');
}

describeForeign(server => {
  it('has a snapshot, which it still fits, over HTTP', async () => {
    const file = await newFile();
    expect(await tenon(['snapshot', server.url, '-o', file])).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse(await readFile(file, 'utf8')).tools.length).toBeGreaterThan(5);
    const { code, stdout } = await tenon(['snapshot', server.url, '--check', file]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `no breaking changes, 0 harmless, since ${file}\n` });
  });

  it('has a snapshot, which it still fits, over stdio', async () => {
    const file = await newFile();
    const { code, stdout } = await tenon(['snapshot', '--', ...server.program]);
    expect(code).toBe(0);
    await writeFile(file, stdout);
    const checked = await tenon(['snapshot', '--check', file, '--', ...server.program]);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no breaking changes, 0 harmless'),
    });
  });
});

describe('tenon snapshot', () => {
  const bistro = useBistro();
  const take = async () => JSON.parse((await tenon(['snapshot', bistro.url])).stdout);

  it('is the same text each time, sorted, without the version of the server', async () => {
    const [first, second] = [
      await tenon(['snapshot', bistro.url]),
      await tenon(['snapshot', ...BISTRO_PROGRAM]),
    ];
    const surface = JSON.parse(first.stdout);
    const names = surface.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(surface.server).toEqual({ name: 'bistro', title: 'Chez Tenon' });
    expect(surface).toMatchObject({ tenonSnapshot: 1, revision: '2026-07-28' });
    expect(JSON.parse(second.stdout).tools).toHaveLength(names.length);
  });

  it('lists what would break clients, and what is harmless, and exits with 5', async () => {
    const surface = await take();
    const reserve = surface.tools.find(({ name }: { name: string }) => name === 'reserve');
    reserve.inputSchema.properties.pets = { type: 'boolean' };
    reserve.description = 'Something else';
    surface.tools.push({ name: 'gone', inputSchema: { type: 'object' } });
    const tables = surface.tools.find(({ name }: { name: string }) => name === 'list_tables');
    tables.annotations = { ...tables.annotations, idempotentHint: true };
    const { code, stdout } = await check(surface, bistro.url);
    expect(code).toBe(5);
    expect(stdout).toContain('✗ tool gone  was removed\n');
    expect(stdout).toContain('✗ tool reserve  input: pets was removed\n');
    expect(stdout).toMatch(
      /✗ tool list_tables {2}annotation idempotentHint was true, and is (false|not set)\n/,
    );
    expect(stdout).toContain('· tool reserve  description changed\n');
    expect(stdout).toContain('3 breaking changes, 1 harmless');
  });

  it('prints the changes as JSON', async () => {
    const surface = await take();
    surface.prompts.push({ name: 'gone' });
    const { code, stdout } = await check(surface, bistro.url, '--json');
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toEqual({
      breaking: [{ where: 'prompt gone', what: 'was removed' }],
      harmless: [],
    });
  });

  it('asks in the revision of the snapshot', async () => {
    const { stdout } = await tenon(['snapshot', bistro.url, '--revision', '2025-06-18']);
    const outcome = await check(JSON.parse(stdout), bistro.url);
    expect(outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no breaking changes, 0 harmless'),
    });
  });

  it('calls it a breaking change if the server no longer speaks that revision', async () => {
    const { stdout } = await tenon(['snapshot', ...badProgram('noisy')]);
    const outcome = await check({ ...JSON.parse(stdout), revision: '2024-11-05' }, ...badProgram('noisy'));
    expect(outcome.code).toBe(5);
    expect(outcome.stdout).toContain('✗ revision 2024-11-05  is no longer spoken');
  });

  it.each(['large', 'recursive', 'floods', 'noisy', 'hostile'])(
    'works with a server that behaves badly: %s',
    async way => {
      const { code, stdout } = await tenon(['snapshot', ...badProgram(way)]);
      expect(code).toBe(0);
      expect(await check(JSON.parse(stdout), ...badProgram(way))).toMatchObject({ code: 0 });
    },
  );

  it('finds a change within a schema that refers to itself', async () => {
    const { stdout } = await tenon(['snapshot', ...badProgram('recursive')]);
    const surface = JSON.parse(stdout);
    surface.tools[0].inputSchema.$defs.tree.required = [];
    const outcome = await check(surface, ...badProgram('recursive'));
    expect(outcome.stdout).toContain('✗ tool plant  input: tree.name is now required');
  });

  it.each([
    ['is empty', '', 'is empty'],
    ['is not JSON', '{"tenonSnapshot":1,"tools":[', 'is not JSON, or is cut'],
    ['is something else', '{"tools":[]}', 'is no snapshot of tenon'],
    ['is of a newer version', '{"tenonSnapshot":2}', 'was written by a newer tenon'],
    ['is incomplete', '{"tenonSnapshot":1,"tools":[]}', 'is incomplete'],
  ])('says so if the file %s', async (_, text, message) => {
    const { code, stderr } = await checkText(text, 'http://127.0.0.1:9/mcp');
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('\nnext: ');
  });

  it.each([
    [['http://127.0.0.1:9/mcp', '--check', 'no-such-file.json'], 2, 'there is no such file'],
    [['http://127.0.0.1:9/mcp', '--check', 'a', '-o', 'b'], 2, 'exclude each other'],
    [['http://127.0.0.1:9/mcp'], 3, 'ECONNREFUSED'],
    [badProgram('dies'), 3, 'BISTRO_KEY is not set'],
    [badProgram('no server'), 3, 'exited with code 0'],
    [['--timeout', '1', ...badProgram('silent')], 6, 'did not answer within 1 s'],
  ])('refuses or explains %j', async (args, exitCode, message) => {
    const { code, stdout, stderr } = await tenon(['snapshot', ...args]);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('\nnext: ');
  });

  it('ends with Ctrl+C, and leaves no program running', async () => {
    const mark = `mark-snapshot-${process.pid}`;
    let isSent = false;
    const { code, stdout } = await tenon(['snapshot', '--verbose', ...badProgram('silent'), mark], {
      onStderr(text, kill) {
        if (isSent || !text.includes('probing')) return;
        isSent = true;
        kill('SIGINT');
      },
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(await processesWith(mark)).toEqual([]);
  });
});

function check(surface: unknown, ...target: string[]) {
  return checkText(JSON.stringify(surface), ...target);
}

async function checkText(text: string, ...target: string[]) {
  const file = await newFile();
  await writeFile(file, text);
  return tenon(['snapshot', '--check', file, ...target]);
}
