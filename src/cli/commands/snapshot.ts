import type { Command } from 'commander';
import { CannotConnect } from 'tenon/client';
import { SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { addConnectionOptions, type ConnectionFlags, withClient } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { usageError } from '../failure.js';
import type { Change } from '../snapshot/change.js';
import { compareSurfaces } from '../snapshot/compare-surfaces.js';
import { type Surface, takeSurface } from '../snapshot/surface.js';
import { formatSurface, readSurface, writeSurface } from '../snapshot/surface-file.js';
import { type Target, targetArgument } from '../target.js';
import { plainLine } from '../terminal/plain-text.js';

interface SnapshotFlags extends ConnectionFlags {
  readonly output?: string;
  readonly check?: string;
}

export function defineSnapshot(command: Command, cli: Cli): void {
  addConnectionOptions(
    command
      .addArgument(targetArgument(cli))
      .option('-o, --output <file>', 'write the snapshot to this file')
      .option('--check <file>', 'compare with this snapshot; exit with 5 if a client would break'),
  )
    .addHelpText('after', HELP)
    .action(async (target: Target, flags: SnapshotFlags) => {
      if (flags.check !== undefined && flags.output !== undefined) {
        throw usageError(
          '--check and --output exclude each other',
          'Check first, then write the new snapshot.',
        );
      }
      if (flags.check !== undefined) await check(flags.check, target, flags, cli);
      else await write(target, flags, cli);
    });
}

const HELP = `
A snapshot has the capabilities, tools with their schemas, prompts, resources and templates, sorted, so that it can be kept
beside the source and compared in reviews. It has no version of the server.

--check asks the server in the revision of the snapshot. These changes are breaking: something was removed; an input
accepts less (a property is newly required, a type is narrower, a choice is gone); an output may contain more (a choice is
new, a property may be missing); an annotation is weaker (readOnlyHint was true); an argument of a prompt is newly
required. Others are listed, and are harmless.

Examples:
  tenon snapshot https://bistro.example/mcp -o snapshot.json
  tenon snapshot --check snapshot.json -- node server.js
  tenon snapshot bistro --check snapshot.json --json`;

async function write(target: Target, flags: SnapshotFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const surface = await take(target, flags, flags.revision, cli);
  if (flags.output === undefined) return output.print(formatSurface(surface).trimEnd());
  await writeSurface(flags.output, surface);
  if (output.isJson) output.json({ file: flags.output, ...count(surface) });
  else output.note(`${describe(surface)} written to ${flags.output}`);
}

async function check(path: string, target: Target, flags: SnapshotFlags, cli: Cli): Promise<void> {
  const before = await readSurface(path);
  const changes = await findChanges(before, target, flags, cli);
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  const harmless = changes.filter(({ isBreaking }) => !isBreaking);
  if (breaking.length > 0) cli.exitCode = EXIT.differs;
  if (cli.output.isJson) {
    return cli.output.json({ breaking: breaking.map(toJson), harmless: harmless.map(toJson) });
  }
  report(breaking, harmless, path, cli);
}

/** Compares in the revision of the snapshot. A server that no longer speaks it has broken its clients, too. */
async function findChanges(
  before: Surface,
  target: Target,
  flags: SnapshotFlags,
  cli: Cli,
): Promise<Change[]> {
  const recorded = SUPPORTED_REVISIONS.find(one => one === before.revision);
  const revision = flags.revision ?? recorded;
  try {
    return compareSurfaces(before, await take(target, flags, revision, cli));
  } catch (error) {
    if (!(error instanceof CannotConnect) || flags.revision !== undefined || recorded === undefined)
      throw error;
    const after = await take(target, flags, undefined, cli);
    const lost = { isBreaking: true, where: `revision ${recorded}`, what: 'is no longer spoken' };
    return [lost, ...compareSurfaces(before, after)];
  }
}

function take(
  target: Target,
  flags: SnapshotFlags,
  revision: string | undefined,
  cli: Cli,
): Promise<Surface> {
  return withClient(cli, target, flags, { cache: false, revision }, client =>
    takeSurface(client, cli.signal),
  );
}

function report(
  breaking: readonly Change[],
  harmless: readonly Change[],
  path: string,
  { output }: Cli,
): void {
  const { bold, red, green, dim } = output.colours;
  for (const { where, what } of breaking)
    output.print(`${red('✗')} ${bold(plainLine(where))}  ${plainLine(what)}`);
  for (const { where, what } of harmless) output.print(dim(`· ${plainLine(where)}  ${plainLine(what)}`));
  if (breaking.length + harmless.length > 0) output.print();
  const verdict =
    breaking.length > 0
      ? red(`${breaking.length} breaking ${breaking.length === 1 ? 'change' : 'changes'}`)
      : green('no breaking changes');
  output.print(`${verdict}, ${harmless.length} harmless, since ${path}`);
}

function toJson({ where, what }: Change): object {
  return { where, what };
}

function count({ tools, prompts, resources, templates }: Surface): Record<string, number> {
  return {
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length,
    templates: templates.length,
  };
}

function describe(surface: Surface): string {
  return Object.entries(count(surface))
    .map(([kind, number]) => `${number.toLocaleString('en')} ${number === 1 ? kind.slice(0, -1) : kind}`)
    .join(', ');
}
