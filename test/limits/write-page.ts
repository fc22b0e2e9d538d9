import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readProjectFile, rowsOf, SOURCES } from './table.js';

// Writes the tables of docs/limits.md again, from the source.
let page = readProjectFile('docs/limits.md');
for (const [title, paths] of Object.entries(SOURCES)) {
  const table = align(['| name | default | meaning |', '| --- | --- | --- |', ...(await rowsOf(paths))]);
  page = page.replace(
    new RegExp(`^## ${title}\\n\\n(\\|.*\\n)*\\n*`, 'm'),
    () => `## ${title}\n\n${table}\n\n`,
  );
}
writeFileSync(fileURLToPath(new URL('../../docs/limits.md', import.meta.url)), `${page.trimEnd()}\n`);

/** The lines of a table with cells of equal width. */
function align(lines: readonly string[]): string {
  const rows = lines.map(line => line.slice(2, -2).split(' | '));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(
      row =>
        `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0, cell === '---' ? '-' : ' ')).join(' | ')} |`,
    )
    .join('\n');
}
