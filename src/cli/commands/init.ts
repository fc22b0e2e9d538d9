import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { cancel, intro, isCancel, outro, text } from '@clack/prompts';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import { CliError, usageError } from '../failure.js';
import { packageSpec } from '../init/package-spec.js';
import { projectFiles } from '../init/project-files.js';

interface InitFlags {
  readonly name?: string;
  readonly yes?: boolean;
}

export function defineInit(command: Command, cli: Cli): void {
  command
    .argument('[folder]', 'where to put the project; asked for on a terminal, otherwise this folder')
    .option('--name <name>', 'the name of the server; the name of the folder by default')
    .option('-y, --yes', 'ask nothing')
    .option('--json', 'print JSON for programs')
    .addHelpText('after', HELP)
    .action((folder: string | undefined, flags: InitFlags) => init(cli, folder, flags));
}

const HELP = `
The project has a server with a tool that asks the user, a resource, and a test that runs in every revision.

Examples:
  tenon init bistro
  tenon init . --name bistro --yes`;

/** A name that npm accepts, too. */
const NAME = /^[a-z0-9][a-z0-9._-]*$/;

async function init(cli: Cli, given: string | undefined, flags: InitFlags): Promise<void> {
  const { output } = cli;
  const asks = flags.yes !== true && !output.isJson && process.stdin.isTTY === true && output.isTerminal;
  if (asks) intro('A new MCP server');
  const folder = resolve(given ?? (asks ? await ask(cli, 'Where?', './bistro') : '.'));
  await refuseFull(folder);
  const suggested = toName(basename(folder));
  const name = flags.name ?? (asks && !given ? await ask(cli, 'What is its name?', suggested) : suggested);
  if (!NAME.test(name)) {
    throw usageError(
      `"${name}" cannot be the name of a project`,
      'Use small letters, digits and hyphens: my-server',
    );
  }
  for (const [path, content] of await projectFiles({ name, tenon: packageSpec() })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const place = relative(process.cwd(), folder);
  const next = [...(place ? [`cd ${place}`] : []), 'npm install', 'npm run dev'];
  if (output.isJson) return output.json({ folder, name, next });
  if (asks) outro(`Made ${name}. Next: ${next.join(' && ')}`);
  else output.print(`Made ${name}. Next:\n${next.map(line => `  ${line}`).join('\n')}`);
}

/** Files of the user are never written over. */
async function refuseFull(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw usageError(`${folder} cannot be used: ${error.message}`, 'Name another folder: tenon init bistro');
  });
  if (entries.every(entry => entry === '.git' || entry === '.DS_Store')) return;
  throw usageError(`${folder} is not empty`, 'Name a new or empty folder: tenon init bistro');
}

async function ask({ signal }: Cli, message: string, initialValue: string): Promise<string> {
  const answer = await text({ message, initialValue, signal });
  if (!isCancel(answer)) return answer || initialValue;
  cancel('Nothing was made.');
  throw new CliError('interrupted', { exitCode: EXIT.interrupted });
}

function toName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  return name || 'my-server';
}
