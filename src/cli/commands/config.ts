import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { usageError } from '../failure.js';
import { HOSTS } from '../hosts/all-hosts.js';
import { findConfigured } from '../hosts/find-server.js';
import type { HostedServer, LocalServer } from '../hosts/host.js';
import { PROGRAM_AFTER_DASHES } from '../target.js';
import { plainLine } from '../terminal/plain-text.js';

interface ConfigFlags {
  readonly for: string;
  readonly name?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly header: Readonly<Record<string, string>>;
}

export function defineConfig(command: Command, cli: Cli): void {
  const hosts = HOSTS.map(({ id }) => id);
  command
    .argument('<target>', 'a URL, a name from a host’s configuration, or a program after --')
    .addOption(
      new Option('--for <host>', 'the host that gets the snippet').choices(hosts).makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the server there')
    .option('--env <name=value>', 'a variable of the program; may be repeated', pairReader('=', '--env'), {})
    .option(
      '--header <name: value>',
      'a header of every request; may be repeated',
      pairReader(':', '--header'),
      {},
    )
    .option('--json', 'print the snippet, the advice and the files of the host as JSON')
    .addHelpText('after', EXAMPLES)
    .action((target: string, flags: ConfigFlags) => printSnippet(target, flags, cli));
}

const EXAMPLES = `
Prints what to paste; it changes no file and starts nothing.

Examples:
  tenon config https://bistro.example/mcp --for cursor
  tenon config --for claude --name bistro --env BISTRO_KEY=… -- node server.js
  tenon config --for claude-code --name bistro -- npx tenon dev src/server.ts --stdio
  tenon config cursor:bistro --for codex            the same server for another host`;

function printSnippet(target: string, flags: ConfigFlags, { output, program }: Cli): void {
  const { name, server } = readServer(target, program);
  const host = HOSTS.find(({ id }) => id === flags.for);
  if (!host) throw usageError(`there is no host "${plainLine(flags.for)}"`);
  const label = flags.name ?? name;
  const { advice, text } = host.writeSnippet(label, withExtras(server, flags));
  if (output.isJson) return output.json({ host: host.id, name: label, advice, snippet: text });
  output.note(output.noteColours.dim(advice));
  output.print(text);
}

function readServer(
  word: string,
  program: readonly string[] | undefined,
): { name: string; server: HostedServer } {
  if (word === PROGRAM_AFTER_DASHES && program) return { name: nameOf(program), server: toAbsolute(program) };
  if (/^https?:\/\//i.test(word)) return { name: nameOfUrl(word), server: { url: word, headers: {} } };
  return findConfigured(word);
}

/** Hosts start programs in a folder of their own, so paths of files become absolute. */
function toAbsolute([command, ...args]: readonly string[]): LocalServer {
  if (command === undefined)
    throw usageError('there is no program after `--`', 'Write it: -- node server.js');
  const absolute = (word: string) => (!word.startsWith('-') && existsSync(word) ? resolve(word) : word);
  return { command: /[/\\]/.test(command) ? resolve(command) : command, args: args.map(absolute), env: {} };
}

function withExtras(server: HostedServer, { env, header }: ConfigFlags): HostedServer {
  if ('url' in server) return { ...server, headers: { ...server.headers, ...header } };
  return { ...server, env: { ...server.env, ...env } };
}

/** The last word that names a file or a package, without its ending. */
function nameOf(program: readonly string[]): string {
  const words = program.filter(
    word => !word.startsWith('-') && !/^(node|npx|bunx?|deno|uvx?|python3?|tsx|run|tenon|dev)$/.test(word),
  );
  const word = words.find(one => !/^\d+$/.test(one)) ?? 'server';
  return clean(
    basename(word)
      .replace(/@[\w.^~-]+$/, '')
      .replace(/\.[cm]?[jt]sx?$|\.py$/, ''),
  );
}

function nameOfUrl(url: string): string {
  const { hostname } = new URL(url);
  const parts = hostname.split('.').filter(part => !/^(www|mcp|api|com|org|net|io|dev|ai|app)$/.test(part));
  return clean(/^[\d.[\]:]+$/.test(hostname) ? 'local' : (parts[0] ?? hostname));
}

function clean(name: string): string {
  return name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'server';
}

function pairReader(between: '=' | ':', option: string) {
  return (text: string, previous: Readonly<Record<string, string>>): Record<string, string> => {
    const at = text.indexOf(between);
    if (at < 1)
      throw usageError(
        `${option} "${plainLine(text)}" has no value`,
        `Write it as ${option} name${between}value.`,
      );
    return { ...previous, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
  };
}
