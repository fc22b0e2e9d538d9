import type { Command } from 'commander';
import { isResourceNotFound } from 'tenon/client';
import type { ResourceContents } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { CliError } from '../failure.js';
import { type Target, targetArgument } from '../target.js';
import { showResource } from '../terminal/content.js';
import { plainLine } from '../terminal/plain-text.js';
import { Saver } from '../terminal/save.js';

interface ReadFlags extends ConnectionFlags {
  readonly save?: string;
}

export function defineRead(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .argument('<uri>', 'the URI of the resource')
      .option('--save <path>', 'save the contents into this file or folder'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (target: Target, uri: string, flags: ReadFlags) => {
      const saver = new Saver(flags.save);
      const { contents } = await withClient(cli, target, flags, {}, client =>
        client.readResource(uri, { signal: cli.signal }).catch(error => {
          throw isResourceNotFound(error) ? notFound(uri, error) : error;
        }),
      );
      show(contents, cli, saver);
    });
}

const EXAMPLES = `
Text is printed, everything else is saved; into a pipe or a file, the contents go as they are.

Examples:
  tenon read https://bistro.example/mcp menu://friday
  tenon read bistro bistro://sign.png --save sign.png
  tenon read bistro bistro://sign.png > sign.png
  tenon read menu://friday -- npx bistro-server`;

function show(contents: readonly ResourceContents[], { output }: Cli, saver: Saver): void {
  if (output.isJson) return output.json({ contents });
  const isRaw = !output.isTerminal && !saver.isWanted;
  for (const resource of contents) {
    if (isRaw)
      process.stdout.write('text' in resource ? resource.text : Buffer.from(resource.blob, 'base64'));
    else {
      if (contents.length > 1) output.print(output.colours.dim(`${plainLine(resource.uri)}:`));
      showResource(resource, output, saver);
    }
  }
}

function notFound(uri: string, cause: unknown): CliError {
  return new CliError(`the server has no resource ${plainLine(uri)}`, {
    next: '`tenon list <target> resources` and `… templates` show what it has.',
    kind: 'mcp',
    cause,
  });
}
