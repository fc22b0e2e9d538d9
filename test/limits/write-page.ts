import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readProjectFile, rowsOf, SOURCES } from './table.js';

// Writes the tables of docs/limits.md again, from the source.
let page = readProjectFile('docs/limits.md');
for (const [title, path] of Object.entries(SOURCES)) {
  const table = ['| name | default | meaning |', '| --- | --- | --- |', ...(await rowsOf(path))].join('\n');
  page = page.replace(new RegExp(`^## ${title}\\n\\n(\\|.*\\n)*`, 'm'), () => `## ${title}\n\n${table}\n`);
}
writeFileSync(fileURLToPath(new URL('../../docs/limits.md', import.meta.url)), page);
