import { once } from 'node:events';
import { relative } from 'node:path';
import type { Command } from 'commander';
import { listen } from 'tenon/node';
import { serveStdio } from 'tenon/stdio';
import { type ServedPage, servePage } from '../../playground/serve.js';
import type { Cli } from '../cli.js';
import { LiveServer, type LoadOutcome } from '../dev/live-server.js';
import { describeError } from '../load/code-frame.js';
import { ServerFile } from '../load/server-file.js';
import { openPage } from '../open-page.js';
import { readPort } from '../port.js';
import { plainText } from '../terminal/plain-text.js';

interface DevFlags {
  readonly port: number;
  readonly pagePort: number;
  readonly open: boolean;
  readonly stdio?: boolean;
}

export function defineDev(command: Command, cli: Cli): void {
  command
    .argument('<file>', 'the file that exports the server, in TypeScript or JavaScript')
    .option(
      '--port <number>',
      'the port of the server, or PORT',
      readPort,
      readPort(process.env.PORT ?? '3000'),
    )
    .option('--page-port <number>', 'the port of the page; any free one by default', readPort, 0)
    .option('--no-open', 'do not open the page in the browser')
    .option('--stdio', 'serve over standard input and output, for hosts that start this command')
    .option('--json', 'print JSON for programs, one line for each event')
    .option('--verbose', 'show what happens, on standard error')
    .addHelpText('after', HELP)
    .action((path: string, flags: DevFlags) => dev(cli, path, flags));
}

const HELP = `
The file exports the server: \`export default server\`. It needs no build, and it is loaded again when it, or a file of
the project that it imports, is saved: sessions and streams go on, and clients are told that the lists have changed.
What the old code has started, such as timers, goes on until this command ends.

Examples:
  tenon dev src/server.ts
  tenon dev src/server.ts --port 8080 --no-open
  claude mcp add bistro -- npx tenon dev src/server.ts --stdio`;

async function dev(cli: Cli, path: string, flags: DevFlags): Promise<void> {
  const { output, signal } = cli;
  const file = new ServerFile(path);
  const name = relative(process.cwd(), file.path);
  let page: ServedPage | undefined;
  const show = (error: unknown, where = 'error') =>
    output.note(
      `${output.noteColours.red(`${plainText(where)}:`)} ${plainText(describeError(error, file.files))}\n`,
    );
  const tell = (outcome: LoadOutcome) => {
    page?.playground.tell({ type: 'reloaded', problem: 'problem' in outcome ? outcome.problem : undefined });
    report(cli, name, outcome);
  };
  const live = new LiveServer(file, tell, {
    // The client is that of the author, too, who wants to see at once why a handler has failed.
    exposeErrors: true,
    onError: (error, where) => show(error, `${where} failed`),
    onWarning: (message, where) => {
      // The keys last as long as this command, across all loads, and that is all that is needed here.
      if (where !== 'keys') output.warn(`${where}: ${message}`);
    },
  });
  // What a handler has left unhandled ends a server in production, but not while it is written.
  const survive = (error: unknown) => show(error);
  process.on('uncaughtException', survive).on('unhandledRejection', survive);
  try {
    void live.load();
    const loaded = await Promise.race([live.ready, aborted(signal)]);
    if (!loaded) return;
    if (flags.stdio) {
      await Promise.race([serveStdio(loaded.server).closed, aborted(signal)]);
      return;
    }
    const { url, close } = await listen(loaded.server, { port: flags.port, sse: true, ...loaded.options });
    const state = { target: name, url, words: [url], reloads: true };
    const assets = new URL('../playground/', import.meta.url);
    page = await servePage({ target: url, state, assets }, flags.pagePort).catch(async error => {
      await close(0);
      throw error;
    });
    announce(cli, url, page.address);
    if (flags.open && output.isAlive) {
      await openPage(page.address);
    }
    await aborted(signal);
    await Promise.all([page.close(), close(0)]);
  } finally {
    live.close();
    process.off('uncaughtException', survive).off('unhandledRejection', survive);
  }
}

function announce({ output }: Cli, url: string, page: string): void {
  if (output.isJson) return output.json({ event: 'listening', url, page }, { indent: false });
  const { bold, cyan, dim } = output.colours;
  output.print(`
  ${bold('server')}  ${cyan(url)}
  ${bold('page')}    ${cyan(page)}

  ${dim('Save the file to reload it. Press Ctrl+C to end.')}
`);
}

function report({ output }: Cli, name: string, outcome: LoadOutcome): void {
  if (output.isJson) return output.json({ event: 'loaded', ...outcome }, { indent: false });
  const { dim, green, red } = output.noteColours;
  if ('ms' in outcome) output.note(`${green('loaded')} ${name} in ${Math.round(outcome.ms)} ms`);
  else {
    const rest = outcome.isServing
      ? 'The last version that could be loaded is still served.'
      : 'Nothing is served yet.';
    output.note(
      `${red('not loaded:')} ${plainText(outcome.problem)}\n\n${dim(`${rest} Save a change to try again.`)}\n`,
    );
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}
