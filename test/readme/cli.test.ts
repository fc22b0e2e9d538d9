import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.js';
import { EXIT, EXIT_CODES_HELP } from '../../src/cli/exit-codes.js';
import { HOSTS } from '../../src/cli/hosts/all-hosts.js';

const page = await readFile(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');

it('docs/cli.md has an example of every command', () => {
  const missing = COMMANDS.filter(({ name }) => !page.includes(`\ntenon ${name} `));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it('docs/cli.md and the help explain every exit code in the same words', () => {
  const rows = [...page.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, text]) => `${code} ${text}`);
  const lines = [...EXIT_CODES_HELP.matchAll(/^ {2}(\d+) +(.*)$/gm)].map(
    ([, code, text]) => `${code} ${text}`,
  );
  expect(rows).toEqual(lines);
  expect(rows.map(row => Number.parseInt(row, 10))).toEqual(Object.values(EXIT));
});

it('docs/cli.md names every host', () => {
  for (const { id, title } of HOSTS) expect(page.replace(/\s+/g, ' ')).toContain(`${title} (\`${id}\`)`);
});
