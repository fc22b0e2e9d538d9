import type { Measurement } from './load.js';
import { medianOf, type Ratio } from './statistics.js';

/** Lays rows out in columns, the first `labels` of them flush left. */
export function formatTable(rows: string[][], labels: number): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  const format = (cell: string, column: number) =>
    column < labels ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map(row => row.map(format).join('  ').trimEnd()).join('\n');
}

/** A ratio and, in brackets, the range of the single rounds. */
export function ratioCell(ratio?: Ratio): string {
  if (ratio === undefined) return '-';
  const [median, lowest, highest] = [ratio.median, ratio.lowest, ratio.highest].map(value =>
    value.toFixed(2),
  );
  return lowest === highest ? median! : `${median} (${lowest}-${highest})`;
}

export const measurementHeadings = ['req/s', 'p50 ms', 'p99 ms', 'server cpu', 'load cpu'];

/** The cells under {@link measurementHeadings}: medians over the rounds. */
export function measurementCells(rounds: Measurement[]): string[] {
  const share = (value?: number) => (value === undefined ? '?' : `${Math.round(value * 100)} %`);
  return [
    Math.round(medianOf(rounds, 'requestsPerSecond')!).toLocaleString('en'),
    medianOf(rounds, 'p50')!.toFixed(2),
    medianOf(rounds, 'p99')!.toFixed(2),
    share(medianOf(rounds, 'serverCpu')),
    share(medianOf(rounds, 'loadCpu')),
  ];
}
