import { type Contender, interleave, warmUp } from './interleave.js';
import type { Measurement } from './load.js';
import type { Options } from './options.js';
import { type LoadGenerator, type RunningServer, startServer, type Target } from './processes.js';
import { type Era, eras, type Scenario } from './scenarios.js';
import { doubtAbout, type Ratio, ratioOf } from './statistics.js';
import { formatTable, measurementCells, measurementHeadings, ratioCell } from './table.js';

/** One server in one scenario on one revision. */
export interface ComparedCell {
  scenario: Scenario;
  era: Era;
  target: Target;
  ofBare: Ratio | undefined;
  ofOfficial: Ratio | undefined;
  /** Compared with the same server without protection. */
  ofOpen: Ratio | undefined;
  rounds: Measurement[];
}

const toolCount = 50;
const sessions = 64;

/** Compares the servers with the bare one and with the official SDK. */
export async function compare(load: LoadGenerator, options: Options): Promise<ComparedCell[]> {
  const servers = await Promise.all(options.targets.map(target => startServer(target, toolCount)));
  try {
    const groups = options.scenarios.flatMap(scenario =>
      eras.map(era => contendersFor(servers, scenario, era)),
    );
    await warmUp(load, groups.flat(), Math.max(1, options.seconds));
    const cells: ComparedCell[] = [];
    for (const group of groups) {
      console.error(`measuring ${group[0]!.scenario} on ${group[0]!.era}`);
      cells.push(...relate(group, await interleave(load, group, options.rounds, options.seconds)));
    }
    return cells;
  } finally {
    for (const server of servers) server.stop();
  }
}

export function formatComparison(cells: ComparedCell[]): string {
  const headings = [
    'scenario',
    'revision',
    'server',
    'of bare',
    'of official',
    'of open',
    ...measurementHeadings,
  ];
  const rows = cells.map(({ scenario, era, target, ofBare, ofOfficial, ofOpen, rounds }) => {
    const ratios = [ofBare, ofOfficial, ofOpen].map(ratioCell);
    return [scenario, era, target, ...ratios, ...measurementCells(rounds)];
  });
  const doubts = cells.flatMap(({ scenario, era, target, rounds }) => {
    const doubt = doubtAbout(rounds);
    return doubt === undefined ? [] : [`DOUBTFUL ${target} at ${scenario} on ${era}: ${doubt}`];
  });
  return [formatTable([headings, ...rows], 3), ...doubts].join('\n');
}

function contendersFor(servers: RunningServer[], scenario: Scenario, era: Era): Contender[] {
  return servers.map(server => ({ server, scenario, era, sessions }));
}

function relate(group: Contender[], measured: Measurement[][]): ComparedCell[] {
  const roundsOf = (target: Target) => measured[group.findIndex(({ server }) => server.target === target)];
  const ratio = (rounds: Measurement[], others?: Measurement[]) => others && ratioOf(rounds, others);
  return group.map(({ scenario, era, server: { target } }, index) => {
    const rounds = measured[index]!;
    const ofBare = ratio(rounds, roundsOf('bare'));
    const ofOfficial = ratio(rounds, roundsOf('official'));
    const ofOpen = target === 'tenon-protected' ? ratio(rounds, roundsOf('tenon')) : undefined;
    return { scenario, era, target, ofBare, ofOfficial, ofOpen, rounds };
  });
}
