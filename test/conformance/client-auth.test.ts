import { describe, expect, test } from 'vitest';
import { expectToPass } from './client-run.js';
import { listClientScenarios } from './client-scenario.js';
import { CLIENT_AUTH_PASSED } from './recorded.js';

const runs = Object.entries(CLIENT_AUTH_PASSED).flatMap(([version, scenarios]) =>
  Object.entries(scenarios).map(([scenario, passed]) => [scenario, version, passed] as const),
);

describe('the official conformance suite', () => {
  test('has no other scenarios on authorization', async ({ signal }) => {
    const listed = Object.entries(await listClientScenarios(signal)).flatMap(([version, scenarios]) =>
      scenarios.filter(scenario => scenario.startsWith('auth/')).map(scenario => `${scenario} at ${version}`),
    );
    const known = runs.map(([scenario, version]) => `${scenario} at ${version}`);
    expect(listed.sort()).toEqual(known.sort());
  });

  // covers: 2025-03-26/authorization/client-uses-as-metadata, 2025-03-26/authorization/base-url-has-no-path
  // covers: 2025-03-26/authorization/default-paths
  // covers: 2025-03-26/authorization/metadata-comes-before-default-paths
  // covers: 2025-03-26/authorization/registration
  // covers: 2025-11-25/authorization/challenge-is-no-subset
  // covers: 2025-11-25/authorization/client-id-metadata-documents
  // covers: 2025-11-25/authorization/client-reads-both-kinds-of-metadata
  // covers: 2025-11-25/authorization/client-steps-up, 2025-11-25/authorization/client-supports-both-ways
  // covers: 2025-11-25/authorization/client-tries-several-endpoints
  // covers: 2025-11-25/authorization/client-tries-well-known-uris
  // covers: 2025-11-25/authorization/missing-scope-falls-back, 2025-11-25/authorization/order-with-a-path
  // covers: 2025-11-25/authorization/order-without-a-path, 2025-11-25/authorization/retries-are-limited
  // covers: 2025-11-25/authorization/scope-priority, 2025-11-25/authorization/static-credentials
  // covers: 2025-11-25/authorization/user-client-steps-up
  // covers: 2026-07-28/authorization-server-discovery/client-supports-both-ways
  // covers: 2026-07-28/authorization-server-discovery/client-tries-several-endpoints
  // covers: 2026-07-28/authorization-server-discovery/client-tries-well-known-uris
  // covers: 2026-07-28/authorization-server-discovery/order-with-a-path
  // covers: 2026-07-28/authorization-server-discovery/order-without-a-path
  // covers: 2026-07-28/authorization/challenge-is-no-subset
  // covers: 2026-07-28/authorization/client-reads-both-kinds-of-metadata
  // covers: 2026-07-28/authorization/refresh-grant-is-registered, 2026-07-28/authorization/scope-priority
  // covers: 2026-07-28/client-registration/client-registers-again
  // covers: 2026-07-28/client-registration/credentials-belong-to-an-issuer
  test.concurrent.for(runs)(
    'finds nothing to object to in how a client gets access: %s at %s',
    { timeout: 300_000 },
    async (run, { signal }) => expectToPass(run, signal),
  );
});
