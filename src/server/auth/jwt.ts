import { errors, type JWTPayload, jwtVerify } from 'jose';
import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { createIssuerKeys } from './issuer-keys.js';
import { checkMs, checkUrl } from './options.js';
import { isAudience } from './resource.js';
import {
  claimText,
  InvalidToken,
  readScopes,
  type VerifiedToken,
  type Verifier,
  VerifierUnavailable,
} from './verifier.js';

/** Options of `jwt`. */
export interface JwtOptions {
  /** The issuer of the tokens, exactly as in their `iss` claim. */
  issuer: string;
  /** The URL of its public keys; found in its metadata if not set. */
  jwksUri?: string | undefined;
  /** The signature algorithms that are accepted; all common ones with public keys if not set. */
  algorithms?: readonly string[] | undefined;
  /** The audiences that are accepted, instead of the URL of this server. */
  audiences?: readonly string[] | undefined;
  /**
   * The accepted values of the `typ` header. `at+jwt` by default, which only access tokens have; use `['JWT']` for an
   * issuer that writes `JWT` or no type at all.
   */
  types?: readonly string[] | undefined;
  /** How many milliseconds the clocks may differ, up to 60,000; 5000 by default. */
  clockSkewMs?: number | undefined;
  /** For how many milliseconds a verified token is not verified again, unless it expires before; 600,000 by default. */
  cacheMs?: number | undefined;
}

const JWT_OPTIONS: OptionNames<JwtOptions> = {
  issuer: 1,
  jwksUri: 1,
  algorithms: 'a list',
  audiences: 'a list',
  types: 'a list',
  clockSkewMs: 1,
  cacheMs: 1,
};

const PUBLIC_KEY_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const MAX_SKEW_MS = 60_000;

/**
 * Verifies access tokens that are signed JWTs: signature, issuer, audience, expiry and kind.
 *
 * @example
 * verify: jwt({ issuer: 'https://login.example.com' })
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export function jwt(options: JwtOptions): Verifier {
  checkOptions(options, JWT_OPTIONS, 'jwt');
  const { issuer, clockSkewMs = 5000, cacheMs = 600_000, types = ['at+jwt'], audiences } = options;
  checkUrl(issuer, 'issuer');
  if (options.jwksUri !== undefined) checkUrl(options.jwksUri, 'jwksUri');
  checkMs(clockSkewMs, 'clockSkewMs', MAX_SKEW_MS);
  checkMs(cacheMs, 'cacheMs');
  const algorithms = [...(options.algorithms ?? PUBLIC_KEY_ALGORITHMS)];
  for (const algorithm of algorithms) {
    if (!PUBLIC_KEY_ALGORITHMS.includes(algorithm)) {
      throw new UsageError(
        `${algorithm} is not an algorithm with public keys: ${PUBLIC_KEY_ALGORITHMS.join(', ')}`,
      );
    }
  }
  const keys = createIssuerKeys(issuer, options.jwksUri);
  const accepted = new Set(types.map(mediaType));

  return {
    cacheMs,
    async verify(token, resource) {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        algorithms,
        clockTolerance: clockSkewMs / 1000,
        requiredClaims: ['exp', 'aud'],
      }).catch(thrown => {
        if (isFaultOfToken(thrown)) throw new InvalidToken(describe(thrown), { cause: thrown });
        if (thrown instanceof VerifierUnavailable) throw thrown;
        throw new VerifierUnavailable(`the keys of ${issuer} cannot be fetched`, { cause: thrown });
      });
      if (!accepted.has(mediaType(protectedHeader.typ ?? 'JWT'))) {
        throw new InvalidToken(
          `the token is of type ${protectedHeader.typ ?? '(none)'}, not ${types.join(' or ')}`,
        );
      }
      if (!isAudience(payload.aud, audiences ?? [resource]))
        throw new InvalidToken('the token is for another audience');
      return toVerified(payload);
    },
  };
}

/** Types are compared as media types, whose prefix `application/` may be left out. */
function mediaType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

const FAULTS_OF_TOKENS = [
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** All other errors, such as keys that cannot be fetched, say nothing about the token. */
function isFaultOfToken(thrown: unknown): thrown is Error {
  return FAULTS_OF_TOKENS.some(kind => thrown instanceof kind);
}

function describe(fault: Error): string {
  if (fault instanceof errors.JWTExpired) return 'the token has expired';
  if (fault instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  if (fault instanceof errors.JOSEAlgNotAllowed) return 'the algorithm of the token is not accepted';
  if (fault instanceof errors.JWKSNoMatchingKey) return 'the token is signed with an unknown key';
  if (fault instanceof errors.JWKSMultipleMatchingKeys)
    return 'the token does not say which key it is signed with';
  if (fault instanceof errors.JWTClaimValidationFailed) {
    return `the claim ${fault.claim} of the token ${fault.reason === 'missing' ? 'is missing' : 'is not accepted'}`;
  }
  return 'the token is not a valid JWT';
}

function toVerified(payload: JWTPayload): VerifiedToken {
  const subject = claimText(payload.sub);
  // Okta calls it `cid`.
  const clientId = claimText(payload.client_id) ?? claimText(payload.azp) ?? claimText(payload.cid);
  return {
    issuer: payload.iss as string,
    ...(subject !== undefined && { subject }),
    ...(clientId !== undefined && { clientId }),
    // Entra and Okta call it `scp`.
    scopes: readScopes(payload.scope ?? payload.scp),
    expiresAt: (payload.exp as number) * 1000,
    claims: payload as JsonObject,
  };
}
