import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { writePage } from './page.js';
import { readRequirements } from './requirement.js';
import { ROOT, readTags, tagsOf } from './tags.js';
import { UNTESTED } from './untested.js';

const requirements = await readRequirements();
const tags = await readTags();
const listed = new Map(requirements.map(requirement => [requirement.fullId, requirement]));
const tested = new Set(tags.flatMap(({ covers }) => covers));

it('every requirement has a test, or a reason why not', () => {
  const untested = requirements
    .filter(({ fullId, notTested }) => !tested.has(fullId) && notTested === undefined)
    .map(({ fullId }) => fullId);
  expect(untested.filter(id => !UNTESTED.includes(id))).toEqual([]);
  expect(
    UNTESTED.filter(id => !untested.includes(id)),
    'remove from untested.ts',
  ).toEqual([]);
});

it('a requirement with a test has no reason why it has none', () => {
  const contradictory = requirements.filter(
    ({ fullId, notTested }) => tested.has(fullId) && notTested !== undefined,
  );
  expect(contradictory.map(({ fullId }) => fullId)).toEqual([]);
});

it('every tag names a requirement', () => {
  const unknown = tags.flatMap(({ covers, file, test }) =>
    covers.filter(id => !listed.has(id)).map(id => `${file}: ${test}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

it('every id is given once', () => {
  const ids = requirements.map(({ fullId }) => fullId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(UNTESTED.filter((id, index) => UNTESTED.indexOf(id) !== index)).toEqual([]);
});

it('docs/conformance.md is what `npm run docs:conformance` writes', async () => {
  const page = await readFile(`${ROOT}/docs/conformance.md`, 'utf8');
  expect(page === writePage(requirements, tags), 'run `npm run docs:conformance`').toBe(true);
});

it.each([
  ["it('serves', () => {});", 'serves'],
  ["  it.each(['a)', `b(`])('serves %s', () => {});", 'serves %s'],
  ["test.concurrent.for([{ a: 'x' }])(\n  'serves',\n", 'serves'],
  ["it.each<[string, () => void]>([['a', () => {}]])('serves %s', () => {});", 'serves %s'],
  ['describe("it\'s there", () => {});', "it's there"],
  ["it('does not \\'serve\\'', () => {});", "does not 'serve'"],
])('finds the name of the test after a tag: %s', (text, test) => {
  const file = 'test/x.test.ts';
  const tag = '  // covers: a/b, c/d\n  // covers: e/f\n';
  expect(tagsOf(file, `${tag}${text}`)).toEqual([{ covers: ['a/b', 'c/d', 'e/f'], file, test }]);
  expect(() => tagsOf(file, `${tag}\nconst x = 1;\n${text}`)).toThrow('no test follows');
});

it('finds the names of the groups around a test', () => {
  const text = [
    "describe('over', () => {",
    "  it('a', () => {});",
    '});',
    "describe.each(['x'])('a server %s', () => {",
    "  describe('of the past', () => {});",
    "  describe('that serves', () => {",
    '    // covers: a/b',
    "    it('goes on', () => {});",
  ].join('\n');
  expect(tagsOf('x', text).map(({ test }) => test)).toEqual(['a server %s › that serves › goes on']);
});
