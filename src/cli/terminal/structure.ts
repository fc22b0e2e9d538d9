import type { Colours } from './colours.js';
import { plainLine, plainText } from './plain-text.js';
import { cut, table, widthOf } from './table.js';

const MAX_DEPTH = 12;
const MAX_ROWS = 500;

/** Lines that show a value: rows of equal objects as a table, everything else as a tree. */
export function showStructure(value: unknown, colours: Colours, width: number): string[] {
  if (isTable(value)) return showTable(value, colours, width);
  return showTree(value, colours, width, 0);
}

type Row = Readonly<Record<string, unknown>>;

/** Whether a value is a list of flat objects that have most names in common. */
function isTable(value: unknown): value is Row[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const isFlat = (row: unknown) => isObject(row) && Object.values(row).every(cell => !isNested(cell));
  return value.every(isFlat) && columnsOf(value).length <= 8;
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(row => Object.keys(row)))];
}

function showTable(rows: readonly Row[], { bold, dim }: Colours, width: number): string[] {
  const columns = columnsOf(rows);
  const shown = rows.slice(0, MAX_ROWS);
  const widest = Math.max(12, Math.floor(width / columns.length));
  const cells = shown.map(row =>
    columns.map(name => cut(Object.hasOwn(row, name) ? plainLine(toText(row[name])) : '', widest)),
  );
  const [head = '', ...lines] = table([columns.map(plainLine), ...cells], width);
  const rest = rows.length - shown.length;
  return [bold(head), ...lines, ...(rest > 0 ? [dim(`… and ${rest} more`)] : [])];
}

function showTree(value: unknown, colours: Colours, width: number, depth: number): string[] {
  const { dim, cyan } = colours;
  const indent = '  '.repeat(depth);
  if (depth > MAX_DEPTH) return [`${indent}${dim('…')}`];
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${indent}${dim('(none)')}`];
    const items = value.slice(0, MAX_ROWS).flatMap(item => {
      if (!isNested(item)) return [`${indent}${dim('-')} ${showScalar(item, colours, indent)}`];
      const [first = '', ...rest] = showTree(item, colours, width, depth + 1);
      return [`${indent}${dim('-')} ${first.trimStart()}`, ...rest];
    });
    const rest = value.length - MAX_ROWS;
    return [...items, ...(rest > 0 ? [`${indent}${dim(`… and ${rest} more`)}`] : [])];
  }
  if (!isObject(value)) return [`${indent}${showScalar(value, colours, indent)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${indent}${dim('(empty)')}`];
  const names = Math.min(24, Math.max(...entries.map(([name]) => widthOf(plainLine(name)))));
  return entries.flatMap(([name, member]) => {
    const label = `${indent}${cyan(plainLine(name))}`;
    const isEmpty = isNested(member) && Object.keys(member as object).length === 0;
    if (isTable(member)) {
      const lines = showTable(member, colours, width - indent.length - 2);
      return [label, ...lines.map(line => `${indent}  ${line}`)];
    }
    if (isNested(member) && !isEmpty) return [label, ...showTree(member, colours, width, depth + 1)];
    const text = isEmpty ? dim('(none)') : showScalar(member, colours, indent);
    return [`${label}${' '.repeat(Math.max(0, names - widthOf(plainLine(name))) + 2)}${text}`];
  });
}

function showScalar(value: unknown, { yellow, dim }: Colours, indent: string): string {
  if (value === null || value === undefined) return dim('null');
  if (typeof value === 'number' || typeof value === 'boolean') return yellow(String(value));
  return plainText(String(value)).replaceAll('\n', `\n${indent}  `);
}

function toText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isObject(value: unknown): value is Row {
  return isNested(value) && !Array.isArray(value);
}
