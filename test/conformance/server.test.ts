import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeBundles } from './bundles.js';
import { SERVER_EXTENSIONS, SERVER_PASSED, SKIPPED } from './recorded.js';
import { countPassed, listProblems } from './report.js';
import { runServerScenario, runServerSuite } from './run.js';
import { type RunningFixture, startFixture } from './start.js';

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
  test.for(Object.keys(SERVER_PASSED))(
    'finds nothing to object to in a server at %s',
    { timeout: 600_000 },
    async (specVersion, { signal }) => {
      const reports = await runServerSuite({ url: fixture.url, specVersion, suite: 'all', signal });
      const problems = listProblems(reports);
      if (problems.length > 0)
        expect.fail(`${problems.length} checks did not pass\n\n${problems.join('\n\n')}\n`);
      expect(countPassed(reports), 'passed checks').toBeGreaterThanOrEqual(SERVER_PASSED[specVersion]!);
    },
  );

  // covers: tasks/headers-name-the-task
  test.for(Object.keys(SERVER_EXTENSIONS))(
    'finds nothing to object to in extensions of a server: %s',
    { timeout: 300_000 },
    async scenario => {
      const { checks } = await runServerScenario(fixture.url, scenario);
      const report = { scenario, checks: checks.filter(({ id }) => !SKIPPED.includes(id)) };
      expect(listProblems([report])).toEqual([]);
      expect(countPassed([report]), 'passed checks').toBe(SERVER_EXTENSIONS[scenario]);
    },
  );
});
