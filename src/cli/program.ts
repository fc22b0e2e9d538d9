import { Command, CommanderError } from 'commander';
import type { Cli } from './cli.js';
import { COMMANDS, type CommandEntry } from './command-list.js';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.js';
import { usageError } from './failure.js';
import { PROGRAM_AFTER_DASHES } from './target.js';
import { readVersion } from './version.js';

/** Runs the command that the words name. Throws `CliError` or `TenonError` if it fails. */
export async function runProgram(words: readonly string[], cli: Cli): Promise<void> {
  const program = createProgram();
  const entry = findCommand(words);
  for (const one of COMMANDS) {
    const command = program.command(one.name).summary(one.summary).description(sentence(one.summary));
    prepare(command);
    if (one === entry || entry?.needsAll) (await one.load())(command, cli);
  }
  try {
    await program.parseAsync(entry ? placeTarget(words, entry, cli) : [...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end like this, too; so does `tenon` alone, which prints the help to standard error.
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help') {
      cli.exitCode = EXIT.usage;
      return;
    }
    throw usageError(readMessage(error), adviceOn(error, entry, cli));
  }
}

function createProgram(): Command {
  const program = new Command('tenon');
  prepare(program);
  return program
    .description('Works with any MCP server: starts it, looks at it, calls it, explains it, watches it.')
    .usage('<command> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `${TARGETS_HELP}\n${EXIT_CODES_HELP}\n\nEvery command has a --help with examples.`);
}

/** Errors are thrown and printed in one place; nothing but a result goes to standard output. */
function prepare(command: Command): void {
  command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError(true);
}

const TARGETS_HELP = `
A target is one of
  https://bistro.example/mcp     a URL
  -- npx some-mcp-server         a program to start, after --, at the end of the line
  bistro, or cursor:bistro       a name from the configuration of a host on this machine;
                                 \`tenon list\` shows them`;

function findCommand(words: readonly string[]): CommandEntry | undefined {
  const [first, second] = words.filter(word => !word.startsWith('-'));
  const name = first === 'help' ? second : first;
  return COMMANDS.find(one => one.name === name);
}

/** Puts a word for the program after `--` where the command expects its target. */
function placeTarget(words: readonly string[], { target }: CommandEntry, { program }: Cli): string[] {
  if (!program) return [...words];
  if (!target) throw usageError('this command starts no program, so nothing can follow `--`');
  const place = { first: 1, second: 2, last: words.length }[target];
  return [...words.slice(0, place), PROGRAM_AFTER_DASHES, ...words.slice(place)];
}

/** What commander says, as the rest of a sentence. */
function readMessage({ message }: CommanderError): string {
  return message.replace(/^error: /, '').replace(/\n/g, ' ');
}

function adviceOn({ code }: CommanderError, entry: CommandEntry | undefined, { program }: Cli): string {
  const help = `Run \`tenon ${entry ? `${entry.name} ` : ''}--help\` to see how it is used.`;
  const isShort = code === 'commander.missingArgument' && program !== undefined;
  return isShort ? `Words for tenon stand before \`--\`, those for the program after it. ${help}` : help;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
