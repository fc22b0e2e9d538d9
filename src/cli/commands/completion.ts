import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { COMPLETIONS, type Shell } from '../completion/scripts.js';
import { readConfiguredServers } from '../hosts/configured-servers.js';
import { fullName } from '../hosts/find-server.js';

export function defineCompletion(command: Command, cli: Cli): void {
  command
    .addArgument(
      new Argument('<shell>', 'the shell, or `names` for the names of configured servers').choices(SHELLS),
    )
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell | 'names') => {
      if (shell === 'names') return printNames(cli);
      const commands = (command.parent?.commands ?? []).map(one => ({
        name: one.name(),
        summary: one.summary(),
        options: one.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : [])),
        choices: one.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      }));
      cli.output.print(COMPLETIONS[shell](commands).trim());
    });
}

const SHELLS = ['bash', 'zsh', 'fish', 'names'];

const EXAMPLES = `
Prints a script for the shell, which completes commands, options and the names of configured servers.

Examples:
  tenon completion bash > ~/.local/share/bash-completion/completions/tenon
  tenon completion zsh > ~/.zfunc/_tenon        with ~/.zfunc in fpath, before compinit
  tenon completion fish > ~/.config/fish/completions/tenon.fish`;

/** Used by the scripts. */
function printNames({ output }: Cli): void {
  const { servers } = readConfiguredServers();
  const names = [...servers.map(({ name }) => name), ...servers.map(fullName)];
  for (const name of new Set(names)) if (/^[\w.:@/-]+$/.test(name)) output.print(name);
}
