import { expect, it } from 'vitest';
import { PROBE_TIMEOUT_MS, TIMEOUT_MS } from '../../src/client/limits.js';
import { PROGRAM_GRACE_MS } from '../../src/node/client/process/spawn.js';
import { MAX_COMPLETIONS } from '../../src/protocol/completion.js';
import { MAX_ROUNDS } from '../../src/protocol/round-limit.js';
import { MAX_FORM_TRIES } from '../../src/server/context/questions.js';
import { ANSWER_TIMEOUT_MS } from '../../src/server/limits.js';
import { PAGE_SIZE } from '../../src/server/server-options.js';
import { readProjectFile, rowsOf, SOURCES } from './table.js';

const page = readProjectFile('docs/limits.md');

it.each(Object.entries(SOURCES))('docs/limits.md lists the limits of: %s', async (title, paths) => {
  const section = page.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? '';
  // The formatter pads the cells.
  const rows = section
    .split('\n')
    .flatMap(line => (line.startsWith('| `') ? [line.replace(/ +/g, ' ')] : []));
  expect(rows).toEqual(await rowsOf(paths));
});

const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2 };

it.each([
  ['asking.md', /^\| rounds per request +\| (\S+)/m, MAX_ROUNDS],
  ['asking.md', /^\| time to answer a question[^|]*\| (\d+) minutes/m, ANSWER_TIMEOUT_MS / 60_000],
  ['asking.md', /^\| a form with an invalid answer is shown again +\| (\S+)/m, MAX_FORM_TRIES - 1],
  ['asking.md', /the user is asked again, (\S+) at most/, MAX_FORM_TRIES - 1],
  ['client.md', /^\| `TooManyRounds` .* after (\d+) rounds/m, MAX_ROUNDS],
  ['errors.md', /^\| `too-many-rounds` .* after (\d+) rounds/m, MAX_ROUNDS],
  ['client.md', /`graceMs` \(([\d,]+) by default\)/, PROGRAM_GRACE_MS],
  ['client.md', /^\| `probeTimeoutMs` \| (\S+)/m, PROBE_TIMEOUT_MS],
  ['client.md', /^\| `timeoutMs` +\| (\S+)/m, TIMEOUT_MS],
  ['server.md', /^\| `pageSize` +\| (\S+)/m, PAGE_SIZE],
  ['server.md', /up to (\S+) entries per page/, PAGE_SIZE],
  ['prompts.md', /at most (\d+) of them/, MAX_COMPLETIONS],
])('docs/%s tells the number of the source: %s', (file, pattern, value) => {
  const [, told = ''] = pattern.exec(readProjectFile(`docs/${file}`)) ?? [];
  expect(TIMES[told] ?? Number(told.replaceAll(',', ''))).toBe(value);
});
