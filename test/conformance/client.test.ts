import { describe, expect, test } from 'vitest';
import { expectToPass } from './client-run.js';
import { listClientScenarios } from './client-scenario.js';
import { CLIENT_PASSED, TIMED } from './recorded.js';

const runs = Object.entries(CLIENT_PASSED).flatMap(([version, scenarios]) =>
  Object.entries(scenarios).map(([scenario, passed]) => [scenario, version, passed] as const),
);

describe('the official conformance suite', () => {
  test('has no other scenarios for clients, except on authorization', async ({ signal }) => {
    const listed = Object.entries(await listClientScenarios(signal)).map(([version, scenarios]) => [
      version,
      scenarios.filter(scenario => !scenario.startsWith('auth/')).sort(),
    ]);
    const known = Object.entries(CLIENT_PASSED).map(([version, scenarios]) => [
      version,
      Object.keys(scenarios).sort(),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
  });

  // covers: 2026-07-28/basic/supports-base-versioning-and-patterns
  // covers: 2026-07-28/mrtr/state-is-for-the-retry-only, 2026-07-28/streamable-http/call-headers
  // covers: 2026-07-28/streamable-http/client-supports-parameter-headers
  test.concurrent.for(runs.filter(([scenario]) => !TIMED.includes(scenario)))(
    'finds nothing to object to in a client: %s at %s',
    { timeout: 300_000 },
    async (run, { signal }) => expectToPass(run, signal),
  );

  // covers: 2025-11-25/transports/client-polls-a-closed-stream, 2025-11-25/transports/client-respects-retry
  // covers: 2025-11-25/transports/client-resumes-with-get
  test.for(runs.filter(([scenario]) => TIMED.includes(scenario)))(
    'finds nothing to object to in a client: %s at %s',
    { timeout: 300_000, retry: 5 },
    async (run, { signal }) => expectToPass(run, signal),
  );
});
