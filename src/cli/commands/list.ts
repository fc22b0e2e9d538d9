import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { addConnectionOptions, withClient } from '../connection.js';
import { listHosts } from '../listing/list-hosts.js';
import { KINDS, type Kind, type ListFlags, listOffers } from '../listing/list-offers.js';
import { type Target, targetArgument } from '../target.js';

export function defineList(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli, { optional: true }))
      .addArgument(new Argument('[kind]', 'list only these').choices(KINDS))
      .argument('[name]', 'show this one tool in detail, with its arguments')
      .option('--search <text>', 'list only entries with this text in their name, title or description')
      .option('--all', 'list every entry, also in a terminal'),
  )
    .addHelpText('after', EXAMPLES)
    .action(
      async (
        target: Target | undefined,
        kind: Kind | undefined,
        name: string | undefined,
        flags: ListFlags,
      ) => {
        if (!target) return listHosts(cli.output);
        await withClient(cli, target, flags, {}, client =>
          listOffers(client, target, kind, name, flags, cli),
        );
      },
    );
}

const EXAMPLES = `
Examples:
  tenon list                                      servers in the configuration of hosts on this machine
  tenon list https://bistro.example/mcp           everything that this server offers
  tenon list bistro tools --search table          tools that have to do with tables
  tenon list bistro tools reserve                 one tool with its arguments
  tenon list prompts --json -- npx bistro-server  prompts, as JSON`;
