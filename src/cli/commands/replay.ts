import type { Command } from 'commander';
import type { Client, ServerDescription } from 'tenon/client';
import { LATEST_REVISION, SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { compare } from '../replay/compare.js';
import { splitConversations } from '../replay/conversations.js';
import { readIgnoredPath } from '../replay/ignored-paths.js';
import { isPlayed, play } from '../replay/play.js';
import { readTrace, type Trace } from '../replay/read-trace.js';
import { RecordedAnswers } from '../replay/recorded-answers.js';
import { type Played, printPlayed } from '../replay/report.js';
import { readScript, type Script, type ScriptStep } from '../replay/script.js';
import { explainRevision } from '../replay/spoken-revision.js';
import { type Target, targetArgument } from '../target.js';
import { MASKED } from '../trace/mask.js';

interface ReplayFlags extends ConnectionFlags {
  readonly ignore?: readonly RegExp[];
}

export function defineReplay(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .argument('<file>', 'a recording of `tenon trace --record`')
      .addArgument(targetArgument(cli))
      .option('--ignore <json path>', 'do not compare this; may be repeated', readIgnoredPath),
  )
    .addHelpText('after', HELP)
    .action(async (file: string, target: Target, flags: ReplayFlags) => {
      const trace = await readTrace(file);
      await replay(trace, file, target, flags, cli);
    });
}

const HELP = `
Sends the requests of the recording again, in the recorded revision unless --revision names another one, answers the
server's questions as they were answered, and compares the results. Exits with 5 if something differs. If several clients
were recorded, their requests are played one client after the other.

Not compared: _meta, cursors, sealed states, ids of sessions and tasks, cache hints, times, durations, UUIDs, long hex
numbers, ports of this machine, the version of the server, values that were masked, and notifications. Requests of the
connection itself (initialize, server/discover, ping, subscriptions/listen) are those of tenon.

Examples:
  tenon replay trace.jsonl https://bistro.example/mcp
  tenon replay trace.jsonl bistro --ignore '$.result.content[*].text' --ignore '$..price'
  tenon replay trace.jsonl --revision ${LATEST_REVISION} -- node server.js`;

async function replay(
  trace: Trace,
  file: string,
  target: Target,
  flags: ReplayFlags,
  cli: Cli,
): Promise<void> {
  const scripts = splitConversations(trace.entries)
    .map(readScript)
    .filter(script => stepsOf(script).length > 0);
  if (scripts.length === 0) {
    throw usageError(
      `"${file}" has no request that could be played`,
      'Record again, and let the client list or call something.',
    );
  }
  warnOfMasked(scripts, cli);
  const played: Played[] = [];
  for (const script of scripts) {
    await playOne(script, target, flags, cli, one => {
      played.push(one);
      if (!cli.output.isJson) printPlayed(one, cli.output);
    });
  }
  conclude(played, cli);
}

/** Plays one conversation, over a connection of its own. */
async function playOne(
  script: Script,
  target: Target,
  flags: ReplayFlags,
  cli: Cli,
  add: (one: Played) => void,
): Promise<void> {
  const isIgnored = (path: string) => flags.ignore?.some(pattern => pattern.test(path)) ?? false;
  const answers = new RecordedAnswers(script, isIgnored, (method, differences) =>
    add({ method, params: {}, differences }),
  );
  const revision = flags.revision ?? SUPPORTED_REVISIONS.find(one => one === script.revision);
  const options = { ...answers.handlers(script), revision, cache: false as const };
  let isConnected = false;
  const played = withClient(cli, target, flags, options, async client => {
    isConnected = true;
    addServer(client, script, isIgnored, add);
    await play(client, script, cli.signal, ({ method, params, line, outcome }, now) =>
      add({ method, params, line, differences: compare(outcome, now, isIgnored) }),
    );
  });
  await played.catch(async error => {
    throw isConnected ? error : await explainRevision(error, revision, target, flags, cli);
  });
  answers.close();
}

function stepsOf({ actions }: Script): ScriptStep[] {
  return actions.filter(action => action.kind === 'request').filter(isPlayed);
}

function warnOfMasked(scripts: readonly Script[], { output }: Cli): void {
  const steps = scripts.flatMap(stepsOf);
  const masked = steps.filter(({ params }) => JSON.stringify(params).includes(MASKED)).length;
  if (masked === 0) return;
  output.warn(
    `${masked} of ${steps.length} requests have masked arguments, and are sent like that; record with --unmasked to avoid it`,
  );
}

/** The version of a server changes with every release, so it is left out. */
function addServer(
  client: Client,
  { server }: Script,
  isIgnored: (path: string) => boolean,
  add: (one: Played) => void,
): void {
  if (!server) return;
  const facts = ({ info, capabilities, instructions }: ServerDescription) => {
    const { version: _, ...rest } = info ?? { version: '' };
    return { serverInfo: rest, capabilities, instructions };
  };
  const differences = compare(facts(server), facts(client.server), isIgnored);
  if (differences.length > 0) add({ method: 'server', params: {}, differences });
}

function conclude(played: readonly Played[], cli: Cli): void {
  const { output } = cli;
  const differing = played.filter(({ differences }) => differences.length > 0);
  const requests = played.filter(({ line }) => line !== undefined).length;
  if (differing.length > 0) cli.exitCode = EXIT.differs;
  if (output.isJson) return output.json({ requests, differing });
  const { bold, green, red } = output.colours;
  const verdict =
    differing.length === 0 ? green('no differences') : red(`${differing.length} with differences`);
  output.print(`\n${bold(`${requests} ${requests === 1 ? 'request' : 'requests'} played`)}, ${verdict}`);
}
