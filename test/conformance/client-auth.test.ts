import { describe, expect, test } from 'vitest';
import { expectToPass } from './client-run.js';
import { listClientScenarios } from './client-scenario.js';

/** Every scenario about authorization, with the number of checks that pass. */
const PASSED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '2025-06-18': {
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
  },
  '2025-11-25': {
    'auth/metadata-default': 20,
    'auth/metadata-var1': 20,
    'auth/metadata-var2': 20,
    'auth/metadata-var3': 20,
    'auth/basic-cimd': 15,
    'auth/scope-from-www-authenticate': 16,
    'auth/scope-from-scopes-supported': 16,
    'auth/scope-omitted-when-undefined': 16,
    'auth/scope-step-up': 24,
    'auth/scope-retry-limit': 10,
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
    'auth/pre-registration': 15,
  },
  '2026-07-28': {
    'auth/metadata-default': 20,
    'auth/metadata-var1': 20,
    'auth/metadata-var2': 20,
    'auth/metadata-var3': 20,
    'auth/basic-cimd': 14,
    'auth/scope-from-www-authenticate': 16,
    'auth/scope-from-scopes-supported': 16,
    'auth/scope-omitted-when-undefined': 16,
    'auth/scope-step-up': 27,
    'auth/scope-retry-limit': 11,
    'auth/token-endpoint-auth-basic': 21,
    'auth/token-endpoint-auth-post': 21,
    'auth/token-endpoint-auth-none': 21,
    'auth/pre-registration': 14,
    'auth/resource-mismatch': 2,
    'auth/offline-access-scope': 17,
    'auth/offline-access-not-supported': 16,
    'auth/authorization-server-migration': 29,
    'auth/iss-supported': 16,
    'auth/iss-not-advertised': 16,
    'auth/iss-supported-missing': 8,
    'auth/iss-wrong-issuer': 8,
    'auth/iss-unexpected': 8,
    'auth/iss-normalized': 8,
    'auth/metadata-issuer-mismatch': 3,
  },
  '2025-03-26': {
    'auth/2025-03-26-oauth-metadata-backcompat': 14,
    'auth/2025-03-26-oauth-endpoint-fallback': 9,
  },
  extension: {
    'auth/client-credentials-jwt': 10,
    'auth/client-credentials-basic': 10,
    'auth/enterprise-managed-authorization': 11,
    'auth/dpop': 12,
    'auth/dpop-nonce': 14,
    'auth/wif-jwt-bearer': 10,
  },
};

const runs = Object.entries(PASSED).flatMap(([version, scenarios]) =>
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
  // covers: 2025-11-25/authorization/client-reads-both-kinds-of-metadata
  // covers: 2025-11-25/authorization/client-supports-both-ways
  // covers: 2025-11-25/authorization/client-tries-several-endpoints
  // covers: 2025-11-25/authorization/client-tries-well-known-uris
  // covers: 2025-11-25/authorization/missing-scope-falls-back, 2025-11-25/authorization/order-with-a-path
  // covers: 2025-11-25/authorization/order-without-a-path, 2025-11-25/authorization/scope-priority
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
