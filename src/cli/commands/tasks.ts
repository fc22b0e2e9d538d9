import { Argument, type Command } from 'commander';
import { HANDSHAKE_REVISIONS } from 'tenon/protocol';
import { tasksClient } from 'tenon/tasks/client';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { usageError } from '../failure.js';
import { readTarget } from '../target.js';
import { cancel, printTasks, showTask } from '../tasks/print-tasks.js';

const ACTIONS = ['list', 'show', 'cancel'] as const;
type Action = (typeof ACTIONS)[number];

export function defineTasks(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
      .argument('<target>', 'a URL, a name from a host’s configuration, or a program after --')
      .argument('[task]', 'the id of a task'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (action: Action, word: string, taskId: string | undefined, flags: ConnectionFlags) => {
      if ((taskId === undefined) !== (action === 'list'))
        throw usageError(
          taskId === undefined ? 'the id of a task is missing' : '`list` takes no id',
          'Write: tenon tasks list <target>, or tenon tasks show|cancel <target> <id>',
        );
      const target = readTarget(word, cli.program);
      await withClient(cli, target, flags, { extensions: [tasksClient()] }, client => {
        if (taskId === undefined) return printTasks(client, cli);
        return action === 'show' ? showTask(client, taskId, cli) : cancel(client, taskId, cli);
      });
    });
}

/** Only the last revision with a handshake has a list of tasks. */
const WITH_LIST = HANDSHAKE_REVISIONS[0];

const EXAMPLES = `
Only revision ${WITH_LIST} has a list of tasks. Over HTTP, servers may list them only to clients that signed in, or sent a
token. \`tenon call --verbose\` shows the id of the task that a call becomes. Ctrl-C in \`tenon call\` cancels it.

Examples:
  tenon tasks list https://studio.example/mcp --revision ${WITH_LIST}
  tenon tasks show studio 786512e2-9e0d-44bd-8f29-789f320fe840
  tenon tasks cancel studio 786512e2-9e0d-44bd-8f29-789f320fe840`;
