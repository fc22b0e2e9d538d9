import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { addConnectionOptions } from '../connection.js';
import { type DoctorFlags, runDoctor } from '../doctor/run-doctor.js';
import { type Target, targetArgument } from '../target.js';

export function defineDoctor(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .option('--origin <origin>', 'check whether web pages of this origin can use the server', readOrigin),
    'how long one answer may take (default: 10); everything together may take six times as long',
  )
    .addHelpText('after', EXAMPLES)
    .action((target: Target, flags: DoctorFlags) => runDoctor(target, flags, cli));
}

function readOrigin(text: string): string {
  try {
    const { origin } = new URL(text);
    if (origin !== 'null') return origin;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('Write it as https://app.example.');
}

const EXAMPLES = `
It finds out which revisions and transports answer, and looks at the connection, TLS, authorization, sessions, Host and
Origin, standard output and error, and everything that the server lists. It calls no tool and changes nothing. The exit
code is 0 if clients can use the server, 3 if they cannot reach it, 4 if they have to sign in, 5 if something is wrong, and 6
if it does not answer.

Examples:
  tenon doctor https://bistro.example/mcp
  tenon doctor bistro                                             a server that a host on this machine knows
  tenon doctor -- npx bistro-server                               a program
  tenon doctor https://bistro.example/mcp --bearer eyJh…          with a token, whose audience is checked, too
  tenon doctor https://bistro.example/mcp --origin https://app.example
  tenon doctor https://bistro.example/mcp --json`;
