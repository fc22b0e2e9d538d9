import type { Client } from 'tenon/client';
import type { Target } from '../target.js';
import type { Output } from '../terminal/output.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { cut, wrap } from '../terminal/table.js';

const MAX_LINES = 6;

/** Prints who the server is, which revision is spoken with it, and how it describes itself. */
export function describeServer({ server, revision }: Client, { label }: Target, output: Output): void {
  const { bold, dim } = output.colours;
  const { info, instructions } = server;
  const name = plainLine(info?.title ?? info?.name ?? 'a server without a name');
  const version = info?.version ? ` ${plainLine(info.version)}` : '';
  output.print(`${bold(`${name}${version}`)}  ${dim(`${revision}  ${cut(plainLine(label), 100)}`)}`);
  const lines = wrap(plainText(instructions ?? '').trim(), Math.min(output.width, 100)).filter(Boolean);
  for (const line of lines.slice(0, MAX_LINES)) output.print(dim(line));
  if (lines.length > MAX_LINES) output.print(dim('…'));
  output.print();
}
