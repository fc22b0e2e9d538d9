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

it('lines for the shell name commands and options of tenon that exist', async () => {
  const uses = lines.flatMap(({ page, line }) => {
    const [, command, rest = ''] = /\btenon ([a-z]+)\b(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ page, command, rest }];
  });
  const options = await readOptions();
  const unknown = uses.flatMap(({ page, command, rest }) => {
    const known = options.get(command);
    if (!known) return [`${page}: tenon ${command}`];
    if (TAKES_ARGUMENTS.has(command)) return [];
    const [own = ''] = rest.split(/ -- | #/);
    const used = [...own.matchAll(/ --([a-z-]+)/g)].map(([, name]) => name as string);
    return used.filter(name => !known.has(name)).map(name => `${page}: tenon ${command} --${name}`);
  });
  expect(uses.length).toBeGreaterThan(40);
  expect(unknown).toEqual([]);
});

it('lines for the shell run scripts of npm that exist', async () => {
  const packages = await Promise.all(['package.json', 'templates/project/package.json'].map(readScripts));
  const used = lines.flatMap(({ line }) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name));
  expect(used.filter(name => !packages.flat().includes(name as string))).toEqual([]);
});

it('lines for the shell use commands of npm that exist', async () => {
  const { stdout } = await run('npm', ['help']);
  const listed = /All commands:\n\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? '';
  const known = new Set(listed.split(/[\s,]+/));
  const used = lines.flatMap(({ page, line }) =>
    [...line.matchAll(/(?:^|&& )npm ([\w-]+)/g)].map(([, command = '']) => ({ page, command })),
  );
  expect(used.length).toBeGreaterThan(8);
  expect(used.filter(({ command }) => !known.has(command))).toEqual([]);
  const scripts = await readScripts('package.json');
  const short = used.filter(({ command }) => ['start', 'test'].includes(command));
  expect(short.filter(({ command }) => !scripts.includes(command))).toEqual([]);
});

it('lines for the shell name files and folders that the lines before them make', async () => {
  const { name, version } = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8'));
  const packed = lines.flatMap(({ line }) => line.match(/[\w.-]+\.tgz/g) ?? []);
  expect(packed.length).toBeGreaterThan(2);
  expect(packed.filter(file => file !== `${name}-${version}.tgz`)).toEqual([]);
  const entered = blocks.flatMap(({ page, code }) => {
    const made = [...code.matchAll(/(?:tenon init|mkdir(?: -p)?) ([\w.-]+)/g)].map(([, folder]) => folder);
    return [...code.matchAll(/\bcd ([\w./-]+)/g)].map(([, folder]) => ({ page, folder, made }));
  });
  expect(entered.length).toBeGreaterThan(0);
  expect(entered.filter(({ folder, made }) => !made.includes(folder))).toEqual([]);
});

it('lines for the shell that need neither a server nor the network run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-shell-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const alone = blocks.filter(({ code }) => /^node /m.test(code));
  expect(alone.length).toBeGreaterThan(1);
  for (const { code } of alone) {
    const { stdout } = await run('bash', ['-ec', code], { cwd: folder });
    expect(Buffer.from(stdout.trim(), 'base64')).toHaveLength(32);
  }
});

it('lines for the shell install packages that the tests use', async () => {
  const { name, devDependencies } = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8'));
  const installed = lines.flatMap(({ line }) => {
    const [, words = ''] = /^npm install ([^#]+)/.exec(line) ?? [];
    return words.split(' ').filter(word => word !== '' && !word.startsWith('./'));
  });
  expect(installed.length).toBeGreaterThan(3);
  expect(installed.filter(each => each !== name && !Object.hasOwn(devDependencies, each))).toEqual([]);
});

/** The options of each command, from the script that completes them. */
async function readOptions(): Promise<Map<string, Set<string>>> {
  const { stdout } = await run(process.execPath, [CLI, 'completion', 'fish']);
  const commands = [...stdout.matchAll(/-n __fish_use_subcommand -a (\S+)/g)];
  const options = new Map(commands.map(([, name]) => [name as string, new Set(['help'])]));
  for (const [, command, option] of stdout.matchAll(/__fish_seen_subcommand_from (\S+)' -l (\S+)/g))
    options.get(command as string)?.add(option as string);
  return options;
}

async function readScripts(file: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(`${ROOT}/${file}`, 'utf8')).scripts);
}
