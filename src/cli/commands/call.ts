import { type Command, InvalidArgumentError } from 'commander';
import { LOG_LEVELS } from 'tenon/protocol';
import type { CallFlags } from '../calling/call-flags.js';
import type { Cli } from '../cli.js';
import { addConnectionOptions } from '../connection.js';
import { usageError } from '../failure.js';
import { collect } from '../repeated.js';
import { type Target, targetArgument } from '../target.js';

export function defineCall(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .usage('<target> <tool> [--name value …] [options]')
      .addArgument(targetArgument(cli, { optional: true }))
      .argument('[tool]', 'the name of the tool')
      .argument(
        '[arguments...]',
        'the arguments of the tool: --name value …, @file.json, or - for standard input',
      )
      // The arguments of a tool are options that only its schema knows.
      .allowUnknownOption()
      .helpOption(false)
      .option('-h, --help', 'print this help, or that of a tool if a target and a tool are given')
      .option('--args <json>', "all arguments as JSON; --json '{…}' is the same")
      .option('--arg <name=value>', 'one argument, also where its name is that of an option here', collect)
      .option(
        '--answer <json>',
        'the answer to a question: its form as JSON, `accept`, `decline` or `cancel`; may be repeated',
        collect,
      )
      .option('--sample <text>', 'answers for a model if the server wants to ask one; @file reads a file')
      .option('--root <folder>', 'a folder that the server may work in; may be repeated', collect)
      .option('--log <level>', 'show log messages of the server from this level on', readLevel)
      .option('--task', 'ask for a task, where the server lets its clients choose')
      .option('--save <path>', 'save what the tool returns into this file or folder'),
  )
    .addHelpText('after', EXAMPLES)
    .action(
      async (target: Target | undefined, tool: string | undefined, words: string[], flags: CallFlags) => {
        if (target && tool !== undefined && !tool.startsWith('-')) {
          const { callTool } = await import('../calling/call-tool.js');
          return callTool(cli, target, tool, words, flags);
        }
        if (flags.help) return command.outputHelp();
        throw usageError(
          target ? 'the name of a tool is missing' : 'the target and the name of a tool are missing',
          target
            ? '`tenon list` with the same target shows its tools.'
            : 'Run `tenon call --help` to see how it is used.',
        );
      },
    );
}

const EXAMPLES = `
Arguments are read by the input schema of the tool: numbers, true and false, lists by repetition or as JSON, members of
objects with dots (--wine.colour red). --outside alone is true, --no-outside is false. Missing arguments are asked for in a
terminal. \`tenon call <target> <tool> --help\` shows the arguments of a tool.

Examples:
  tenon call https://bistro.example/mcp reserve --restaurant "Chez Nous" --guests 2
  tenon call cursor:bistro reserve --args '{"restaurant": "Chez Nous"}'
  tenon call cook --dish quiche -- npx bistro-server
  tenon call bistro reserve @reservation.json --answer '{"guests": 2}' --json
  tenon call bistro show_dish --dish quiche --save quiche.png`;

function readLevel(text: string): string {
  if ((LOG_LEVELS as readonly string[]).includes(text)) return text;
  throw new InvalidArgumentError(`It is one of ${LOG_LEVELS.join(', ')}.`);
}
