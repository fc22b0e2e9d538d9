import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon/protocol';
import { describeHints, summarizeArguments } from '../calling/describe-tool.js';
import type { Colours } from '../terminal/colours.js';
import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import { cut, widthOf } from '../terminal/table.js';

/** A person does not read more than this. */
const MAX_ENTRIES = 200;
/** A first column that is wider than this has its description on the next line. */
const MAX_COLUMN = 34;

type Entry = Tool | Resource | ResourceTemplate | Prompt;

/** Prints a heading and a line or two for each entry; nothing if the server does not have this kind at all. */
export function printEntries(
  kind: string,
  entries: readonly Entry[] | undefined,
  { all = false }: { all?: boolean },
  output: Output,
): void {
  if (!entries) return;
  const { bold, dim } = output.colours;
  output.print(
    `${bold(`${kind.charAt(0).toUpperCase()}${kind.slice(1)}`)} ${dim(`(${entries.length.toLocaleString('en')})`)}`,
  );
  const shown = all || !output.isTerminal ? entries : entries.slice(0, MAX_ENTRIES);
  const rows = shown.map(toRow);
  const widest = Math.max(
    0,
    ...rows
      .map(({ name, rest }) => widthOf(`${name} ${rest}`.trimEnd()))
      .filter(width => width <= MAX_COLUMN),
  );
  for (const row of rows) printRow(row, widest, output);
  const left = entries.length - shown.length;
  if (left > 0)
    output.print(
      dim(`  … and ${left.toLocaleString('en')} more; --all lists them, --search TEXT finds some`),
    );
  output.print();
}

interface Row {
  readonly name: string;
  /** What follows the name: arguments, or the type. */
  readonly rest: string;
  readonly about: string;
  readonly notes: string;
}

function toRow(entry: Entry): Row {
  const { name, title = '', description = '' } = entry;
  const about = plainLine(description || title);
  if ('inputSchema' in entry) {
    const rest = summarizeArguments(entry.inputSchema);
    return { name: plainLine(name), rest, about, notes: describeHints(entry) };
  }
  if ('uri' in entry || 'uriTemplate' in entry) {
    const uri = 'uri' in entry ? entry.uri : entry.uriTemplate;
    const label = title || name;
    const text = plainLine(description ? `${label}: ${description}` : label);
    return { name: plainLine(uri), rest: '', about: text, notes: plainLine(entry.mimeType ?? '') };
  }
  const args = ('arguments' in entry && entry.arguments) || [];
  const rest = args
    .map(one => (one.required ? `<${plainLine(one.name)}>` : `[${plainLine(one.name)}]`))
    .join(' ');
  return { name: plainLine(name), rest, about, notes: '' };
}

function printRow({ name, rest, about, notes }: Row, column: number, output: Output): void {
  const plain = `${name} ${rest}`.trimEnd();
  const first = paintName(name, rest, output.colours);
  if (widthOf(plain) <= column) {
    const text = describe(about, notes, output.width - column - 4, output.colours);
    return output.print(`  ${first}${text && ' '.repeat(column - widthOf(plain) + 2)}${text}`);
  }
  output.print(`  ${first}`);
  const text = describe(about, notes, output.width - 6, output.colours);
  if (text) output.print(`      ${text}`);
}

/** The description is cut before the notes are, which are short. */
function describe(about: string, notes: string, width: number, { dim }: Colours): string {
  if (!notes) return dim(cut(about, width));
  if (!about) return dim(cut(notes, width));
  const note = `(${cut(notes, 40)})`;
  return dim(`${cut(about, Math.max(10, width - widthOf(note) - 2))}  ${note}`);
}

function paintName(name: string, rest: string, { cyan }: Colours): string {
  return rest === '' ? cyan(name) : `${cyan(name)} ${rest}`;
}
