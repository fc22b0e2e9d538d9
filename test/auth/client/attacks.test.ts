import { afterAll, describe, expect, it } from 'vitest';
import * as authClient from '../../../src/node/auth-client.js';
import { connect } from '../../../src/node/client.js';
import { type Attack, run } from './attacks/attack.js';
import { BINDING_ATTACKS } from './attacks/binding.js';
import { CHALLENGE_ATTACKS } from './attacks/challenge.js';
import { ENDPOINT_ATTACKS } from './attacks/endpoints.js';
import { ISSUER_ATTACKS } from './attacks/issuer.js';
import { type Library, loadMutant, removeMutants } from './attacks/mutants.js';
import { RESOURCE_ATTACKS } from './attacks/resource.js';
import { RESPONSE_ATTACKS } from './attacks/response.js';

const library: Library = { ...authClient, connect };

const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  'metadata of the resource': RESOURCE_ATTACKS,
  challenges: CHALLENGE_ATTACKS,
  'the identity of the authorization server': ISSUER_ATTACKS,
  'whom credentials belong to': BINDING_ATTACKS,
  'what users come back with': RESPONSE_ATTACKS,
  endpoints: ENDPOINT_ATTACKS,
};

afterAll(removeMutants);

describe.each(Object.entries(ATTACKS))('attacks through %s', (_, attacks) => {
  describe.each([...attacks])('$name', attack => {
    it(`end with "${attack.outcome}", and nothing secret has left`, async () => {
      const { outcome, error, leaks, isAsExpected } = await run(attack, library);
      expect({ outcome, leaks }, String(error)).toEqual({ outcome: attack.outcome, leaks: [] });
      expect(isAsExpected).toBe(true);
    });

    it('succeed where the defence is taken away', async () => {
      const { outcome, error, leaks, isUndefended } = await run(attack, await loadMutant(attack.mutations));
      expect(isUndefended, `${outcome}: ${error}; ${leaks}`).toBe(true);
    });
  });
});
