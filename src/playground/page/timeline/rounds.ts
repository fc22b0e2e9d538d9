import type { Row } from './describe.js';

/** The messages from one sending of the call to the next. */
export interface Round {
  readonly number: number;
  readonly rows: readonly Row[];
}

/** Splits the messages of a call into its rounds: each begins when the client sends the call's request. */
export function splitRounds(rows: readonly Row[], method: string): Round[] {
  const rounds: Row[][] = [[]];
  for (const row of rows) {
    const begins = row.wire.direction === 'sent' && row.kind === 'request' && row.title === method;
    const isFirst = !rounds.flat().some(other => other.title === method && other.wire.direction === 'sent');
    if (begins && !isFirst) rounds.push([]);
    rounds.at(-1)?.push(row);
  }
  return rounds.map((rows, at) => ({ number: at + 1, rows }));
}
