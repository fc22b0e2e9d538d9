import { Challenge } from '../http/challenge.js';
import { type ChallengeParameters, formatChallenge } from '../http/format-challenge.js';
import type { ProtectedRequest } from '../http/protection.js';
import { MalformedAuthorization, type Scheme } from './credentials.js';
import { InvalidProof, PROOF_ALGORITHMS } from './dpop.js';
import { InvalidToken } from './verifier.js';

/** The responses to callers that are refused. */
export interface Challenges {
  /** The caller has no token. */
  invite(request: ProtectedRequest): Challenge;
  /** The caller has a token, but not all scopes. */
  demand(request: ProtectedRequest, scopes: readonly string[]): Challenge;
  /** Checking the token threw an error. */
  ofThrown(request: ProtectedRequest, thrown: unknown): Challenge;
}

/** When a client may try again after the verifier could not answer. */
const RETRY_AFTER_SECONDS = 5;

export function createChallenges(options: {
  scopes: readonly string[];
  schemes: readonly Scheme[];
  metadataOf(request: ProtectedRequest): string;
}): Challenges {
  const { schemes, metadataOf } = options;
  const algs = PROOF_ALGORITHMS.join(' ');

  /** The scheme that the client used gets all the details; the other one is only listed. */
  function headerFor(request: ProtectedRequest, parameters: ChallengeParameters): string {
    const used = schemes.find(scheme =>
      request.header('authorization')?.toLowerCase().startsWith(scheme.toLowerCase()),
    );
    const main = used ?? (schemes[0] as Scheme);
    const details = {
      scope: options.scopes.join(' '),
      ...parameters,
      resource_metadata: metadataOf(request),
    };
    return [main, ...schemes.filter(scheme => scheme !== main)]
      .map(scheme =>
        formatChallenge(scheme, { ...(scheme === main && details), ...(scheme === 'DPoP' && { algs }) }),
      )
      .join(', ');
  }

  function challenge(
    request: ProtectedRequest,
    status: number,
    message: string,
    error?: NonNullable<ChallengeParameters['error']>,
    more: ChallengeParameters = {},
  ): Challenge {
    const parameters = { ...more, ...(error && { error, error_description: message }) };
    return new Challenge(status, message, { 'www-authenticate': headerFor(request, parameters) });
  }

  return {
    invite: request => challenge(request, 401, 'this server needs an access token'),

    demand(request, scopes) {
      const scope = scopes.join(' ');
      return challenge(request, 403, `this request needs the scopes ${scope}`, 'insufficient_scope', {
        scope,
      });
    },

    ofThrown(request, thrown) {
      if (thrown instanceof MalformedAuthorization) {
        return challenge(request, 400, thrown.message, 'invalid_request');
      }
      if (thrown instanceof InvalidToken) return challenge(request, 401, thrown.message, 'invalid_token');
      if (thrown instanceof InvalidProof) {
        const { message, nonce } = thrown;
        if (nonce === undefined) return challenge(request, 401, message, 'invalid_dpop_proof');
        const { status, headers } = challenge(request, 401, message, 'use_dpop_nonce');
        return new Challenge(status, message, { ...headers, 'dpop-nonce': nonce });
      }
      const message = 'tokens cannot be verified right now; try again later';
      return new Challenge(503, message, { 'retry-after': String(RETRY_AFTER_SECONDS) }, thrown);
    },
  };
}
