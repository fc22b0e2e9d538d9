import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSite } from '../../site/build.js';
import { findSections } from '../../site/theme/search.js';
import { SEARCH_OPTIONS } from '../../site/theme/search-options.js';

let folder: string;
let index: MiniSearch;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-search-'));
  await buildSite(folder);
  const script = await readFile(join(folder, 'search-index.js'), 'utf8');
  index = MiniSearch.loadJS(
    JSON.parse(/^globalThis\.searchIndex = (.*);$/m.exec(script)?.[1] ?? ''),
    SEARCH_OPTIONS,
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['migrate', /^docs\/migrate-from-/],
  ['migration', /^docs\/migrate-from-/],
  ['fastmcp', /^docs\/migrate-from-fastmcp/],
  ['streaming does not work', /^docs\/(deploy|README|index)/],
  ['nginx', /^docs\/deploy/],
  ['elicitation', /^docs\/asking/],
  ['password', /^docs\/asking/],
  ['return a picture', /^docs\/server\.html#pictures/],
  ['tool runs twice', /^docs\/asking\.html#why-does-my-tool-run-twice/],
  ['tests', /^docs\/testing/],
  ['limits', /^docs\/limits/],
  ['toModelTools', /^docs\/models/],
  ['connectTest', /^docs\/(testing|reference\/testing)/],
])('the search for "%s" leads to the guide first', (query, guide) => {
  const found = findSections(index, query).map(({ id }) => id as string);
  const [first, ...others] = found.slice(0, 5);
  expect(first, [first, ...others].join('\n')).toMatch(guide);
});

it.each(['elicitation', 'password', 'resource', 'session', 'task', 'cancel'])(
  'the search for "%s" shows guides above the reference, and both above the project',
  query => {
    const found = findSections(index, query).map(({ id }) => id as string);
    const first = found.slice(0, 4);
    expect(first.filter(id => /reference|conformance|peers|CHANGELOG|decisions/.test(id))).toEqual([]);
  },
);

it('a search for words that no section has together shows those that have some', () => {
  expect(findSections(index, 'nginx zebra').map(({ id }) => id)).toContain('docs/deploy.html#behind-a-proxy');
  expect(findSections(index, 'xyzzyplugh')).toEqual([]);
});
