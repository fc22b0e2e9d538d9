import type { Command } from '../../../client/command.js';
import type { ConnectOptions } from '../../../client/connect.js';
import type { Location } from '../../../client/link-keeper.js';
import { openDuplex } from '../../../client/pipe-wire.js';
import type { Signs } from '../../../client/wire.js';
import { type SpawnedTransport, spawnTransport } from './spawn.js';

/** Describes how to reach a program. It is started for each connection. */
export function locateCommand(command: Command, { onWarning, serverName }: ConnectOptions): Location {
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

function signsOf(transport: SpawnedTransport): Signs {
  return {
    isStarting: () => !transport.hasWritten,
    hasSpoken: () => transport.hasSpoken,
    hasRead: method => transport.stderr.includes(method),
  };
}
