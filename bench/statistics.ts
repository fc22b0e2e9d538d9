import type { Measurement } from './load.js';

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

/** The requests per second of one server divided by those of another, over all rounds. */
export interface Ratio {
  median: number;
  lowest: number;
  highest: number;
}

export function ratioOf(rounds: Measurement[], others: Measurement[]): Ratio {
  const ratios = rounds.map((own, round) => own.requestsPerSecond / others[round]!.requestsPerSecond);
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/** The median of one property over the rounds; undefined where it could not be measured. */
export function medianOf(rounds: Measurement[], property: keyof Measurement): number | undefined {
  const values = rounds.map(round => round[property]).filter(value => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

/** The reason why the rounds say little about the server; undefined if they are meaningful. */
export function doubtAbout(rounds: Measurement[]): string | undefined {
  const server = medianOf(rounds, 'serverCpu');
  const load = medianOf(rounds, 'loadCpu');
  if (server === undefined || load === undefined || server > 0.9) return undefined;
  const had = `the server used only ${Math.round(server * 100)} % of its core`;
  return load > 0.9 ? `${had}: the load generator was the bottleneck` : `${had}: something else was running`;
}
