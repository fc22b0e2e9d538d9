import { once } from 'node:events';
import type { Command } from 'commander';
import type { PlaygroundOptions } from '../../playground/playground.js';
import { servePage } from '../../playground/serve.js';
import { cannotListen } from '../cannot-listen.js';
import type { Cli } from '../cli.js';
import { addConnectionOptions, addressOf, type ConnectionFlags, connectOptions } from '../connection.js';
import { openPage } from '../open-page.js';
import { readPort } from '../port.js';
import { type Target, targetArgument } from '../target.js';

interface OpenFlags extends ConnectionFlags {
  readonly port: number;
  readonly open: boolean;
}

export function defineOpen(command: Command, cli: Cli): void {
  addConnectionOptions(command.addArgument(targetArgument(cli)))
    .option('--port <number>', 'the port of the page; any free one by default', readPort, 0)
    .option('--no-open', 'print the address only')
    .addHelpText('after', EXAMPLES)
    .action((target: Target, flags: OpenFlags) => open(cli, target, flags));
}

const EXAMPLES = `
Examples:
  tenon open https://bistro.example/mcp
  tenon open -- npx some-mcp-server`;

async function open(cli: Cli, target: Target, flags: OpenFlags): Promise<void> {
  const { output, signal } = cli;
  const { signal: _, revision: __, ...connect } = await connectOptions(cli, target, flags);
  const page = await servePage(
    {
      target: addressOf(target, cli),
      connect,
      state: stateOf(cli, target),
      assets: new URL('../playground/', import.meta.url),
    },
    flags.port,
  ).catch(error => {
    throw error.syscall === 'listen' ? cannotListen(error, flags.port, '--port') : error;
  });
  try {
    if (output.isJson) output.json({ event: 'listening', page: page.address }, { indent: false });
    else output.print(`The page is at ${page.address}\nPress Ctrl+C to end.`);
    if (flags.open && !output.isJson) await openPage(page.address);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await page.close();
  }
}

function stateOf({ program: words }: Cli, { label, address }: Target): PlaygroundOptions['state'] {
  if (typeof address === 'string') return { target: label, url: address, words: [label], reloads: false };
  const { command, args = [] } = address;
  return {
    target: label,
    program: { command, args },
    words: words ? ['--', ...words] : [label],
    reloads: false,
  };
}
