import type { Command } from '../../../client/command.js';
import type { ConnectOptions } from '../../../client/connect.js';
import type { Location } from '../../../client/link-keeper.js';
import { openDuplex } from '../../../client/pipe-wire.js';
import { spawnTransport } from './spawn.js';

/** Describes how to reach a program. It is started for each connection. */
export function locateCommand(command: Command, { onWarning, serverName }: ConnectOptions): Location {
  const words = [command.command, ...(command.args ?? [])];
  const label = words.join(' ');
  const onProblem = ({ message }: Error) => onWarning?.(message, { server: serverName ?? label });
  return {
    dialer: { open: (...args) => openDuplex(spawnTransport({ ...command, onProblem }))(...args) },
    name: JSON.stringify(words),
    label,
    reconnects: command.restart ?? false,
  };
}
