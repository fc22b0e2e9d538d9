/** A block of Markdown. Inline text is parsed when it is shown. */
export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'quote'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | {
      readonly type: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly type: 'rule' };

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const FENCE = /^\s*(```|~~~)/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Splits Markdown into blocks. HTML in it is text like any other. */
export function parseBlocks(markdown: string): Block[] {
  const lines = markdown.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (test: (line: string) => boolean): string[] => {
    const start = at;
    while (at < lines.length && test(lines[at] ?? '')) at++;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const [, marks, title] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (line.trim() === '') at++;
    else if (FENCE.test(line)) {
      at++;
      blocks.push({ type: 'code', text: takeWhile(inner => !FENCE.test(inner)).join('\n') });
      at++;
    } else if (marks !== undefined && title !== undefined) {
      at++;
      blocks.push({ type: 'heading', level: marks.length, text: title });
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at++;
      blocks.push({ type: 'rule' });
    } else if (/^\s*>/.test(line)) {
      const quoted = takeWhile(inner => /^\s*>/.test(inner));
      blocks.push({ type: 'quote', text: quoted.map(inner => inner.replace(/^\s*>\s?/, '')).join('\n') });
    } else if (ITEM.test(line)) {
      const isOrdered = ITEM.exec(line)?.[1] !== undefined;
      blocks.push({ type: 'list', isOrdered, items: readItems(takeWhile(inner => inner.trim() !== '')) });
    } else if (line.includes('|') && DIVIDER.test(lines[at + 1] ?? '')) {
      const [head = [], , ...rows] = takeWhile(inner => inner.includes('|')).map(readCells);
      blocks.push({ type: 'table', head, rows });
    } else {
      blocks.push({ type: 'paragraph', text: takeWhile(isPlain).join('\n') || (lines[at++] ?? '') });
    }
  }
  return blocks;
}

/** A line without a mark belongs to the item before it. */
function readItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const text = ITEM.exec(line)?.[2];
    if (text === undefined) items.push(`${items.pop()}\n${line.trim()}`);
    else items.push(text);
  }
  return items;
}

function readCells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map(cell => cell.trim());
}

function isPlain(line: string): boolean {
  return line.trim() !== '' && !/^(#{1,6}\s|\s*>)/.test(line) && !FENCE.test(line) && !ITEM.test(line);
}
