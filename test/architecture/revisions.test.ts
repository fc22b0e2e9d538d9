import { expect, it } from 'vitest';
import { datesAndEras } from './revisions.js';
import { readSources } from './sources.js';

const WRONG = [
  "if (call.revision >= '2025-06-18') send();",
  'const message = `use revision 2025-11-25 or newer`;',
  'const message = "sessions of 2025-03-26";',
  'const url = `https://example.com/${page}/2025-03-26`;',
  "if (findRevision(name)?.era === 'legacy') refuse();",
  "if (revision['era'] !== 'modern') refuse();",
  'const { era } = revision;',
  'function choose({ era }: Revision) { return era; }',
];

it('dates of revisions and tests of the era stay where they are decided', async () => {
  expect(await datesAndEras(readSources())).toEqual([]);
});

it.each(WRONG)('finds the fault in %s', async text => {
  expect(await datesAndEras([{ path: 'src/server/http/reply.ts', text }])).toHaveLength(1);
});

it.each([
  'src/revisions/2025-06-18.ts',
  'src/server/legacy/call.ts',
  'src/client/modern/link.ts',
  'src/server/http/legacy/endpoint.ts',
  'src/server/http/handler.ts',
  'src/server/era.ts',
  'src/client/negotiate.ts',
])('lets %s decide', async path => {
  expect(await datesAndEras(WRONG.map(text => ({ path, text })))).toEqual([]);
});

it.each([
  '// came with 2025-06-18',
  '/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic */\nexport const x = 1;',
  "const dialect = 'https://json-schema.org/draft/2020-12/schema';",
  "type Era = Revision['era'];",
  'const x: { era: string } = make();',
])('has nothing against %s', async text => {
  expect(await datesAndEras([{ path: 'src/server/x.ts', text }])).toEqual([]);
});
