import { type Contender, interleave, warmUp } from './interleave.js';
import type { Measurement } from './load.js';
import type { Options } from './options.js';
import { type LoadGenerator, startServer, type Target } from './processes.js';
import { type Era, eras } from './scenarios.js';
import { doubtAbout, type Ratio, ratioOf } from './statistics.js';
import { formatTable, measurementCells, measurementHeadings, ratioCell } from './table.js';

/** A server with few tools or sessions, compared with the same server with many. */
export interface ScaledPair {
  target: Target;
  era: Era;
  what: string;
  ratio: Ratio;
  small: Measurement[];
  large: Measurement[];
}

interface Size {
  label: string;
  tools: number;
  sessions: number;
}

const growths: { what: string; eras: readonly Era[]; small: Size; large: Size }[] = [
  {
    what: 'tools',
    eras,
    small: { label: '50', tools: 50, sessions: 64 },
    large: { label: '2,000', tools: 2_000, sessions: 64 },
  },
  {
    what: 'sessions',
    eras: ['2025-11-25'],
    small: { label: '1', tools: 50, sessions: 1 },
    large: { label: '10,000', tools: 50, sessions: 10_000 },
  },
];

/** Measures whether `tools/call` costs more when the server has more tools or sessions that the call does not use. */
export async function scale(load: LoadGenerator, options: Options): Promise<ScaledPair[]> {
  const pairs: ScaledPair[] = [];
  for (const target of options.targets) {
    for (const { what, eras, small, large } of growths) {
      for (const era of eras) {
        console.error(
          `measuring tools/call of ${target} on ${era}: ${small.label} and ${large.label} ${what}`,
        );
        const [few, many] = await measurePair(load, options, target, era, [small, large]);
        const label = `${large.label} / ${small.label} ${what}`;
        pairs.push({ target, era, what: label, ratio: ratioOf(many, few), small: few, large: many });
      }
    }
  }
  return pairs;
}

export function formatScale(pairs: ScaledPair[]): string {
  const headings = ['server', 'revision', 'compared', 'ratio', '', ...measurementHeadings];
  const rows = pairs.flatMap(({ target, era, what, ratio, small, large }) => [
    [target, era, what, ratioCell(ratio), 'few', ...measurementCells(small)],
    ['', '', '', '', 'many', ...measurementCells(large)],
  ]);
  const doubts = pairs.flatMap(({ target, era, what, small, large }) => {
    const doubt = doubtAbout(small) ?? doubtAbout(large);
    return doubt === undefined ? [] : [`DOUBTFUL ${target} with ${what} on ${era}: ${doubt}`];
  });
  return [formatTable([headings, ...rows], 3), ...doubts].join('\n');
}

async function measurePair(
  load: LoadGenerator,
  { rounds, seconds }: Options,
  target: Target,
  era: Era,
  sizes: [Size, Size],
): Promise<[Measurement[], Measurement[]]> {
  const servers = await Promise.all(sizes.map(size => startServer(target, size.tools)));
  try {
    const contenders: Contender[] = servers.map((server, index) => {
      return { server, era, scenario: 'tools/call', sessions: sizes[index]!.sessions };
    });
    await warmUp(load, contenders, Math.max(2, seconds));
    const [small, large] = await interleave(load, contenders, rounds, seconds);
    return [small!, large!];
  } finally {
    for (const server of servers) server.stop();
  }
}
