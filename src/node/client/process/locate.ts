import { UsageError } from '../../../base/errors.js';
import { checkOptions, type OptionNames } from '../../../base/options.js';
import type { Command } from '../../../client/command.js';
import type { ConnectOptions } from '../../../client/connect.js';
import type { Location } from '../../../client/link-keeper.js';
import { openDuplex } from '../../../client/pipe-wire.js';
import type { Signs } from '../../../client/wire.js';
import { type SpawnedTransport, spawnTransport } from './spawn.js';

const COMMAND: OptionNames<Command> = {
  command: 'a text',
  args: 'a list',
  env: 'an object',
  cwd: 'a text',
  stderr: 1,
  onStderr: 'a function',
  graceMs: 'a number, 0 or more',
  restart: 1,
};

/** Describes how to reach a program. It is started for each connection. */
export function locateCommand(command: Command, { onWarning, serverName }: ConnectOptions): Location {
  checkCommand(command);
  const words = [command.command, ...(command.args ?? [])];
  const label = words.join(' ');
  const onProblem = ({ message }: Error) => onWarning?.(message, { server: serverName ?? label });
  return {
    dialer: {
      open: (...args) => {
        const transport = spawnTransport({ ...command, onProblem });
        return openDuplex(transport, signsOf(transport))(...args);
      },
      canReopen: true,
    },
    name: JSON.stringify(words),
    label,
    reconnects: command.restart,
  };
}

function checkCommand(command: Command): void {
  checkOptions(command, COMMAND, 'a command');
  const { args = [], env = {} } = command;
  if (!args.every(arg => typeof arg === 'string'))
    throw new UsageError('the args of a command must be texts: { command: "node", args: ["server.js"] }');
  const wrong = Object.entries(env).find(([, value]) => value !== undefined && typeof value !== 'string');
  if (wrong) throw new UsageError(`the variable ${wrong[0]} in the env of a command must be a text`);
}

function signsOf(transport: SpawnedTransport): Signs {
  return {
    isStarting: () => !transport.hasWritten,
    hasSpoken: () => transport.hasSpoken,
    hasRead: method => transport.stderr.includes(method),
  };
}
