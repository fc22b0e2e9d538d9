import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeBundles } from './bundles.js';
import { countPassed, listProblems } from './report.js';
import { runServerSuite } from './run.js';
import { type RunningFixture, startFixture } from './start.js';

/**
 * How many checks the official SDK passes (`@modelcontextprotocol/server` 2.4.0 with the conformance server of
 * its repository), so that a scenario which falls silent is noticed. At 2025-11-25 it passes one more,
 * `server-sse-streams-functional`, which exists only for a server that answers `tools/list` with an event stream:
 * ours answers with JSON until there is something to stream. Scenarios on tasks and skills belong to extensions,
 * which the suite never runs for a version of the specification.
 */
const OFFICIAL_PASSED: Readonly<Record<string, number>> = {
  '2025-03-26': 3,
  '2025-06-18': 56,
  '2025-11-25': 83,
  '2026-07-28': 152,
};

describe('the official conformance suite', () => {
  let fixture: RunningFixture;
  beforeAll(async () => {
    fixture = await startFixture('test/conformance/server.ts');
  });
  afterAll(async () => {
    await fixture?.stop();
    await removeBundles();
  });

  // covers: 2026-07-28/basic/supports-base-versioning-and-patterns
  test.for(Object.keys(OFFICIAL_PASSED))(
    'finds nothing to object to in a server at %s',
    { timeout: 600_000 },
    async (specVersion, { signal }) => {
      const reports = await runServerSuite({ url: fixture.url, specVersion, suite: 'all', signal });
      const problems = listProblems(reports);
      if (problems.length > 0)
        expect.fail(`${problems.length} checks did not pass\n\n${problems.join('\n\n')}\n`);
      expect(countPassed(reports), 'passed checks').toBeGreaterThanOrEqual(OFFICIAL_PASSED[specVersion]!);
    },
  );
});
