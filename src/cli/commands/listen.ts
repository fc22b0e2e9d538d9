import type { Command } from 'commander';
import { Option } from 'commander';
import type { ChangeFilter, Client, ServerChange } from 'tenon/client';
import { LOG_LEVELS, type LogLevel } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { CliError } from '../failure.js';
import { collect } from '../repeated.js';
import { type Target, targetArgument } from '../target.js';
import { plainLine } from '../terminal/plain-text.js';

interface ListenFlags extends ConnectionFlags {
  readonly resource?: readonly string[];
  readonly log: LogLevel;
}

export function defineListen(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .option('--resource <uri>', 'tell when the contents of this resource change; may be repeated', collect)
      .addOption(
        new Option('--log <level>', 'show log messages from this level on')
          .choices(LOG_LEVELS)
          .default('info'),
      ),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (target: Target, flags: ListenFlags) => {
      const events = new Events(cli);
      const options = {
        logLevel: flags.log,
        onLog: ({ level, logger, data }: { level: string; logger?: string; data: unknown }) =>
          events.tell({ kind: 'log', level, ...(logger !== undefined && { logger }), data }),
      };
      await withClient(cli, target, flags, options, client => listen(client, flags, events, cli));
    });
}

const EXAMPLES = `
Listens until Ctrl+C. With --json, every event is one line of JSON.

Examples:
  tenon listen https://bistro.example/mcp
  tenon listen bistro --resource bistro://orders
  tenon listen --json -- npx bistro-server`;

/** A change of the server or a message of its log. */
type Event = ServerChange | { kind: 'log'; level: string; logger?: string; data: unknown };

class Events {
  readonly #cli: Cli;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  tell(event: Event): void {
    const { output } = this.#cli;
    const time = new Date();
    if (output.isJson) return output.json({ time: time.toISOString(), ...event }, { indent: false });
    output.print(`${output.colours.dim(time.toTimeString().slice(0, 8))}  ${this.#describe(event)}`);
  }

  #describe(event: Event): string {
    const { cyan, dim } = this.#cli.output.colours;
    switch (event.kind) {
      case 'log': {
        const text = typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
        return `${dim(plainLine([event.level, event.logger].filter(Boolean).join(' ')))}  ${plainLine(text)}`;
      }
      case 'resource':
        return `${cyan(plainLine(event.uri))} changed`;
      default:
        return `the list of ${cyan(event.kind)} changed`;
    }
  }
}

async function listen(client: Client, flags: ListenFlags, events: Events, cli: Cli): Promise<void> {
  const { capabilities } = client.server;
  const lists: ChangeFilter = {
    tools: capabilities.tools?.listChanged === true,
    prompts: capabilities.prompts?.listChanged === true,
    resources: capabilities.resources?.listChanged === true,
  };
  const hasLists = Object.values(lists).some(Boolean);
  const filters = [...(hasLists ? [lists] : []), ...(flags.resource ? [{ resources: flags.resource }] : [])];
  if (filters.length === 0 && !capabilities.logging) throw reportsNothing(client);
  cli.output.note(
    cli.output.noteColours.dim(`listening to ${describeAll(lists, flags, client)}; Ctrl+C ends it`),
  );
  await Promise.all([...filters.map(filter => follow(client, filter, events, cli)), untilInterrupted(cli)]);
}

async function follow(client: Client, filter: ChangeFilter, events: Events, { signal }: Cli): Promise<void> {
  for await (const change of client.changes(filter, { signal })) events.tell(change);
}

function untilInterrupted({ signal }: Cli): Promise<never> {
  return new Promise((_, reject) => {
    // The timer keeps the process alive where only log messages are awaited.
    const timer = setInterval(() => {}, 60_000);
    const stop = () => {
      clearInterval(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function describeAll(lists: ChangeFilter, { resource = [], log }: ListenFlags, client: Client): string {
  const named = Object.entries(lists).flatMap(([name, isOn]) => (isOn ? [`the list of ${name}`] : []));
  const logs = client.server.capabilities.logging ? [`the log from ${log} on`] : [];
  return [...named, ...resource.map(plainLine), ...logs].join(', ');
}

function reportsNothing({ server: { capabilities } }: Client): CliError {
  const canSubscribe = capabilities.resources?.subscribe === true;
  return new CliError('this server reports no changes of its lists and sends no log messages', {
    next: canSubscribe
      ? 'It reports changes of single resources: name one with --resource URI.'
      : 'There is nothing to listen to here; `tenon trace` shows what it sends at all.',
    kind: 'not-supported',
  });
}
