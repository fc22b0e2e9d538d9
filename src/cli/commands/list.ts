import type { Command } from 'commander';
import type { Client } from 'tenon/client';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { type Target, targetArgument } from '../target.js';
import { plainLine } from '../terminal/plain-text.js';

export function defineList(command: Command, cli: Cli): void {
  addConnectionOptions(command.addArgument(targetArgument(cli))).action(
    async (target: Target, flags: ConnectionFlags) => {
      await withClient(cli, target, flags, {}, client => list(client, cli));
    },
  );
}

async function list(client: Client, { output, signal }: Cli): Promise<void> {
  const tools = await client.tools({ signal });
  if (output.isJson) return output.json({ tools });
  for (const { name, description = '' } of tools)
    output.print(`${plainLine(name)}  ${plainLine(description)}`);
}
