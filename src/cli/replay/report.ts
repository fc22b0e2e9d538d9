import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import { cut } from '../terminal/table.js';
import { summarizeParams } from '../trace/summary.js';
import type { Difference } from './compare.js';

/** How many differences of one request are shown. */
const MAX_SHOWN = 20;
const MAX_VALUE = 300;

/** What was played, and what differs in it. */
export interface Played {
  readonly method: string;
  readonly params: unknown;
  /** The line of the recording. */
  readonly line?: number;
  readonly differences: readonly Difference[];
}

/** Prints one thing that was played. */
export function printPlayed({ method, params, line, differences }: Played, output: Output): void {
  const { green, red, bold, dim } = output.colours;
  const isSame = differences.length === 0;
  const about = cut(summarizeParams(method, params), Math.max(20, output.width - method.length - 20));
  const place = line === undefined ? '' : dim(`  line ${line}`);
  output.print(`${isSame ? green('✓') : red('✗')} ${bold(plainLine(method))} ${about}${place}`);
  for (const { path, recorded, now } of differences.slice(0, MAX_SHOWN)) {
    output.print(`    ${plainLine(path)}`);
    if (recorded !== undefined) output.print(`      ${red(`- ${show(recorded, output)}`)}`);
    if (now !== undefined) output.print(`      ${green(`+ ${show(now, output)}`)}`);
  }
  const more = differences.length - MAX_SHOWN;
  if (more > 0) output.print(dim(`    … and ${more} more`));
}

function show(value: unknown, output: Output): string {
  const text = plainLine((JSON.stringify(value) ?? '').slice(0, 4 * MAX_VALUE));
  return cut(text, Math.min(MAX_VALUE, Math.max(20, output.width - 8)));
}
