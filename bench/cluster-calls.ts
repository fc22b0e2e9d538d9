import { type Contender, interleave, warmUp } from './interleave.js';
import type { Measurement } from './load.js';
import { type RunningServer, startListener, startLoad } from './processes.js';
import { type Era, eras } from './scenarios.js';
import { medianOf, ratioOf } from './statistics.js';
import { formatTable, ratioCell } from './table.js';

const toolCount = 50;
const seconds = 0.5;

/** Compares plain calls of a server without a cluster, with one, and of a bare `node:http` server. */
export async function compareCalls(redisUrl: string, turns: number): Promise<string> {
  const load = startLoad();
  const start = async (name: string, ...args: string[]): Promise<RunningServer> => ({
    target: 'tenon',
    toolCount,
    ...(await startListener(name, `${toolCount}`, ...args)),
  });
  const servers = [await start('tenon'), await start('tenon-cluster', redisUrl), await start('bare')];
  try {
    const rows: string[][] = [];
    for (const era of eras) {
      const contenders = servers.map(
        (server): Contender => ({ server, era, scenario: 'tools/call', sessions: 64 }),
      );
      await warmUp(load, contenders, 1);
      rows.push(...rowsOf(era, await interleave(load, contenders, turns, seconds)));
    }
    const headings = [
      'revision',
      '',
      'calls per second',
      'of no cluster',
      'of bare',
      'processor us per call',
    ];
    return formatTable([headings, ...rows], 2);
  } finally {
    load.stop();
    for (const server of servers) server.stop();
  }
}

function rowsOf(era: Era, measured: Measurement[][]): string[][] {
  const [alone, , bare] = measured as [Measurement[], Measurement[], Measurement[]];
  return ['no cluster', 'with a cluster', 'bare node:http'].map((name, at) => {
    const rounds = measured[at]!;
    const costs = rounds.map(round => ({ ...round, serverCpu: perCall(round) }));
    return [
      era,
      name,
      Math.round(medianOf(rounds, 'requestsPerSecond')!).toLocaleString('en'),
      ratioCell(ratioOf(rounds, alone)),
      ratioCell(ratioOf(rounds, bare)),
      (medianOf(costs, 'serverCpu') ?? Number.NaN).toFixed(1),
    ];
  });
}

/** The processor time of the server for one call, in microseconds. */
function perCall({ serverCpu, requestsPerSecond }: Measurement): number | undefined {
  return serverCpu === undefined ? undefined : (serverCpu * 1e6) / requestsPerSecond;
}
