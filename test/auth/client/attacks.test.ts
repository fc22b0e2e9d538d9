import { afterAll, describe, expect, it } from 'vitest';
import * as authClient from '../../../src/node/client/auth/index.js';
import { connect } from '../../../src/node/client/index.js';
import { type Attack, run } from './attacks/attack.js';
import { BINDING_ATTACKS } from './attacks/binding.js';
import { CHALLENGE_ATTACKS } from './attacks/challenge.js';
import { DESTINATION_ATTACKS } from './attacks/destinations.js';
import { ENDPOINT_ATTACKS } from './attacks/endpoints.js';
import { ISSUER_ATTACKS } from './attacks/issuer.js';
import { type Library, loadMutant, removeMutants } from './attacks/mutants.js';
import { PROOF_ATTACKS } from './attacks/proofs.js';
import { RENEWAL_ATTACKS } from './attacks/renewal.js';
import { RESOURCE_ATTACKS } from './attacks/resource.js';
import { RESPONSE_ATTACKS } from './attacks/response.js';
import { TOKEN_ATTACKS } from './attacks/tokens.js';

const library: Library = { ...authClient, connect };

const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'metadata of the resource': RESOURCE_ATTACKS,
  challenges: CHALLENGE_ATTACKS,
  'the identity of the authorization server': ISSUER_ATTACKS,
  'whom credentials belong to': BINDING_ATTACKS,
  'what users come back with': RESPONSE_ATTACKS,
  endpoints: ENDPOINT_ATTACKS,
  tokens: TOKEN_ATTACKS,
  'where tokens go': DESTINATION_ATTACKS,
  proofs: PROOF_ATTACKS,
  'trouble with new tokens': RENEWAL_ATTACKS,
};

afterAll(removeMutants);

for (const [where, attacks] of Object.entries(ATTACKS)) {
  // covers: 2025-06-18/authorization/client-verifies-state
  // covers: 2025-06-18/authorization/client-sends-only-tokens-of-the-servers-as
  // covers: 2025-06-18/authorization/as-endpoints-are-https
  // covers: 2025-06-18/authorization/oauth-security-practices, 2025-06-18/security/authorization-url-schemes
  // covers: 2025-06-18/security/urls-of-servers-are-validated
  describe(`attacks through ${where}`, () => {
    for (const attack of attacks) {
      describe(attack.name, () => {
        // covers: 2025-11-25/authorization/no-pkce-in-oauth-metadata
        // covers: 2025-11-25/authorization/pkce-from-metadata
        // covers: 2025-11-25/authorization/pkce-support-is-verified
        // covers: 2025-11-25/authorization/upgrades-are-tracked
        // covers: 2026-07-28/authorization-security/as-endpoints-are-https
        // covers: 2026-07-28/authorization-security/no-pkce-in-oauth-metadata
        // covers: 2026-07-28/authorization-security/pkce-from-metadata
        // covers: 2026-07-28/authorization-security/pkce-support-is-verified
        // covers: 2026-07-28/authorization-security/state-is-verified
        // covers: 2026-07-28/authorization-server-discovery/credentials-are-not-shared
        // covers: 2026-07-28/authorization-server-discovery/issuer-is-identical
        // covers: 2026-07-28/authorization-server-discovery/metadata-is-validated
        // covers: 2026-07-28/authorization-server-discovery/other-metadata-is-not-used
        // covers: 2026-07-28/authorization-server-discovery/state-per-authorization-server
        // covers: 2026-07-28/authorization/iss-is-compared-as-text
        // covers: 2026-07-28/authorization/iss-is-validated, 2026-07-28/authorization/issuer-is-recorded
        // covers: 2026-07-28/authorization/only-tokens-of-its-own-server
        // covers: 2026-07-28/authorization/upgrades-are-tracked
        // covers: 2026-07-28/authorization/wrong-iss-shows-no-error
        // covers: 2026-07-28/client-registration/credentials-are-not-reused
        // covers: 2026-07-28/client-registration/registration-failure-is-told
        // covers: 2026-07-28/client-registration/registration-may-fail
        // covers: 2026-07-28/client-registration/wrong-server-is-an-error
        it(`ends with "${attack.outcome}", and nothing secret has left`, async () => {
          const { outcome, error, leaks, isAsExpected } = await run(attack, library);
          expect({ outcome, leaks }, String(error)).toEqual({ outcome: attack.outcome, leaks: [] });
          expect(isAsExpected).toBe(true);
        });

        it('succeeds where the defence is taken away', async () => {
          const mutant = await loadMutant(attack.mutations);
          const { outcome, error, leaks, isUndefended } = await run(attack, mutant);
          expect(isUndefended, `${outcome}: ${error}; ${leaks}`).toBe(true);
        });
      });
    }
  });
}

it('does not try the same twice', () => {
  const names = Object.values(ATTACKS).flatMap(attacks => attacks.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});
