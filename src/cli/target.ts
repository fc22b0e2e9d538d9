import { Argument } from 'commander';
import type { Command as Program } from 'tenon/client';
import type { Cli } from './cli.js';
import { usageError } from './failure.js';
import { findServer } from './hosts/find-server.js';
import { plainLine } from './terminal/plain-text.js';

/** The word that stands for the program after `--` where a command expects its target. */
export const PROGRAM_AFTER_DASHES = '(the program after --)';

/** A server to talk to. */
export interface Target {
  /** For messages and titles. */
  readonly label: string;
  /** A URL, or a program to start. */
  readonly address: string | Program;
  /** Headers that the configuration of a host names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The argument `<target>` of a command; its value is a `Target`.
 *
 * @example
 * command.addArgument(targetArgument(cli)).action(async (target: Target, flags: ConnectionFlags) => …);
 */
export function targetArgument(cli: Cli, { optional = false }: { optional?: boolean } = {}): Argument {
  const description = 'a URL, a name from a host’s configuration, or a program after --';
  return new Argument(optional ? '[target]' : '<target>', description).argParser(word =>
    readTarget(word, cli.program),
  );
}

/** Reads the word that names a target. */
export function readTarget(word: string, program: readonly string[] | undefined): Target {
  if (word === PROGRAM_AFTER_DASHES && program) return readProgram(program);
  if (/^https?:\/\//i.test(word)) return { label: word, address: word };
  const server = findServer(word);
  return 'url' in server
    ? { label: word, address: server.url, headers: server.headers }
    : { label: word, address: server };
}

/** Started by the user in a shell, so it gets the variables of that shell, unlike programs that hosts start. */
function readProgram([command, ...args]: readonly string[]): Target {
  if (command === undefined)
    throw usageError('there is no program after `--`', 'Write it: -- node server.js');
  const label = plainLine([command, ...args].join(' '));
  return { label, address: { command, args, env: process.env } };
}
