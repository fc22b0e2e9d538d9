import { describe, expect, test } from 'vitest';
import { expectToPass } from './client-run.js';
import { listClientScenarios } from './client-scenario.js';

/**
 * Every scenario that is not about authorization, with the number of checks that pass, so that one which falls
 * silent is noticed. At 2025-03-26 the suite has nothing but authorization.
 */
const PASSED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2025-03-26': {},
  '2025-06-18': {
    initialize: 2,
    tools_call: 2,
  },
  '2025-11-25': {
    initialize: 2,
    tools_call: 2,
    'elicitation-sep1034-client-defaults': 5,
    'sse-retry': 3,
    'json-schema-2020-12-preservation': 9,
  },
  '2026-07-28': {
    tools_call: 2,
    'request-metadata': 8,
    'sep-2322-client-request-state': 6,
    'http-standard-headers': 9,
    'http-custom-headers': 18,
    'http-invalid-tool-headers': 12,
    'json-schema-ref-no-deref': 1,
    'json-schema-2020-12-preservation': 9,
  },
  extension: {
    'sep-2640-client-no-prefetch': 1,
    'sep-2640-client-verify-digest': 1,
    'sep-2640-client-verify-size': 1,
    'sep-2640-client-verify-frontmatter': 1,
  },
};

/** These measure how long something takes, so nothing else may run beside them; a busy machine is no failure. */
const TIMED = ['sse-retry'];

const runs = Object.entries(PASSED).flatMap(([version, scenarios]) =>
  Object.entries(scenarios).map(([scenario, passed]) => [scenario, version, passed] as const),
);

describe('the official conformance suite', () => {
  test('has no other scenarios for clients, except on authorization', async ({ signal }) => {
    const listed = Object.entries(await listClientScenarios(signal)).map(([version, scenarios]) => [
      version,
      scenarios.filter(scenario => !scenario.startsWith('auth/')).sort(),
    ]);
    const known = Object.entries(PASSED).map(([version, scenarios]) => [
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
