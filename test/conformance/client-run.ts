import { afterAll, expect } from 'vitest';
import { removeBundles } from './bundles.js';
import { runClientScenario } from './client-scenario.js';
import { countPassed, listProblems } from './report.js';

/** A scenario, the version it is run for, or `extension`, and how many checks pass. */
export type ClientRun = readonly [scenario: string, version: string, passed: number];

afterAll(removeBundles);

/** Runs a scenario: nothing may fail or warn, and no check may fall silent. */
export async function expectToPass(
  [scenario, version, passed]: ClientRun,
  signal: AbortSignal,
): Promise<void> {
  const specVersion = version === 'extension' ? undefined : version;
  const report = await runClientScenario({ scenario, specVersion, signal });
  const problems = listProblems([report]);
  if (problems.length > 0)
    expect.fail(`${problems.length} checks did not pass\n\n${problems.join('\n\n')}\n`);
  expect(countPassed([report]), 'passed checks').toBe(passed);
}
