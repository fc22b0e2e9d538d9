import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { codeBlocks, markdownFiles } from './blocks.js';

const run = promisify(execFile);
const CLI = `${ROOT}/dist/cli/main.js`;
/** Everything behind their target belongs to a tool or a prompt of a server. */
const TAKES_ARGUMENTS = new Set(['call', 'prompt']);

const blocks = markdownFiles('docs/*.md', 'README.md')
  .flatMap(codeBlocks)
  .filter(({ language }) => language === 'sh');
const lines = blocks.flatMap(({ page, code }) => code.split('\n').map(line => ({ page, line })));

it('lines for the shell can be read by a shell', async () => {
  await Promise.all(blocks.map(({ code }) => run('bash', ['-n', '-c', code])));
});

it('lines for the shell name commands and options of tenon that exist', { timeout: 240_000 }, async () => {
  const uses = lines.flatMap(({ page, line }) => {
    const [, command, rest = ''] = /\btenon ([a-z]+)\b(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ page, command, rest }];
  });
  const help = await helpOf(new Set(uses.map(({ command }) => command)));
  const unknown = uses.flatMap(({ page, command, rest }) => {
    if (TAKES_ARGUMENTS.has(command)) return [];
    const [own = ''] = rest.split(/ -- | #/);
    return (own.match(/ --?[a-z][a-z-]*/g) ?? [])
      .filter(option => !help.get(command)?.includes(option.trim()))
      .map(option => `${page}: tenon ${command}${option}`);
  });
  expect(uses.length).toBeGreaterThan(40);
  expect(unknown).toEqual([]);
});

it('lines for the shell run scripts of npm that exist', async () => {
  const packages = await Promise.all(['package.json', 'templates/project/package.json'].map(readScripts));
  const used = lines.flatMap(({ line }) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name));
  expect(used.filter(name => !packages.flat().includes(name as string))).toEqual([]);
});

it('lines for the shell that need neither a server nor the network run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-shell-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const alone = blocks.filter(({ code, notRun }) => notRun === undefined && /^node /m.test(code));
  expect(alone.length).toBeGreaterThan(1);
  for (const { code } of alone) {
    const { stdout } = await run('bash', ['-ec', code], { cwd: folder });
    expect(Buffer.from(stdout.trim(), 'base64')).toHaveLength(32);
  }
});

/** The help of some commands, by their names. An unknown command fails. */
async function helpOf(commands: ReadonlySet<string>): Promise<Map<string, string>> {
  const help = new Map<string, string>();
  for (const command of commands) {
    const { stdout } = await run(process.execPath, [CLI, command, '--help']);
    help.set(command, stdout);
  }
  return help;
}

async function readScripts(file: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(`${ROOT}/${file}`, 'utf8')).scripts);
}
