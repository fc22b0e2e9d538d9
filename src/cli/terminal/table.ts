import stringWidth from 'fast-string-width';

/** Lines with columns side by side. The last column is cut where the terminal ends. */
export function table(rows: readonly (readonly string[])[], width: number, gap = 2): string[] {
  const count = Math.max(0, ...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  );
  return rows.map(row => {
    const cells = row.map((cell, column) =>
      column === row.length - 1
        ? cell
        : cell + ' '.repeat((widths[column] as number) - stringWidth(cell) + gap),
    );
    return cut(cells.join('').trimEnd(), width);
  });
}

/** A text without colours that is cut, with an ellipsis, at a width. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Breaks a text into lines of at most this width, between words where that is possible. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => {
    if (stringWidth(line) <= width) return [line];
    const lines: string[] = [];
    let current = '';
    for (const word of line.split(' ')) {
      const longer = current === '' ? word : `${current} ${word}`;
      if (stringWidth(longer) <= width || current === '') current = longer;
      else {
        lines.push(current);
        current = word;
      }
    }
    return [...lines, current];
  });
}

/** The width of a text in columns. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

const SEGMENTS = new Intl.Segmenter();
