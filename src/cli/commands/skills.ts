import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { addConnectionOptions, withClient } from '../connection.js';
import { usageError } from '../failure.js';
import { checkFolder, checkServer, isFolder } from '../skills/check-skills.js';
import { getFile, type SkillFlags } from '../skills/get-skill.js';
import { printSkills } from '../skills/print-skills.js';
import { readTarget } from '../target.js';

const ACTIONS = ['list', 'get', 'check'] as const;
type Action = (typeof ACTIONS)[number];

export function defineSkills(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
      .argument(
        '<target>',
        'a URL, a name from a host’s configuration, a program after --, or a folder to check',
      )
      .argument('[skill]', 'the name of a skill, or the URI of its SKILL.md')
      .argument('[file]', 'the path of another file of the skill')
      .option('--save <folder>', 'save all files of the skill below this folder'),
  )
    .addHelpText('after', EXAMPLES)
    .action(
      async (
        action: Action,
        word: string,
        skill: string | undefined,
        file: string | undefined,
        flags: SkillFlags,
      ) => {
        if ((skill === undefined) === (action === 'get'))
          throw usageError(
            action === 'get' ? 'the name of a skill is missing' : `only \`get\` takes the name of a skill`,
            'Write: tenon skills get <target> <skill> [file]',
          );
        if (action === 'check' && isFolder(word)) return checkFolder(word, cli);
        const target = readTarget(word, cli.program);
        await withClient(cli, target, flags, {}, client => {
          if (skill !== undefined) return getFile(client, target, skill, file, flags, cli);
          return action === 'list' ? printSkills(client, cli) : checkServer(client, cli);
        });
      },
    );
}

const EXAMPLES = `
Nothing that a skill says is run. \`check\` reads every file, and fails if one is not what the server says of it.

Examples:
  tenon skills list https://shop.example/mcp             the skills of a server
  tenon skills get shop refunds                          the instructions of one
  tenon skills get shop refunds examples/email.md        another file of it
  tenon skills get shop refunds --save ./skills          all its files, below this folder
  tenon skills check ./skills                            a folder, before it is served
  tenon skills check -- node server.js                   a server`;
