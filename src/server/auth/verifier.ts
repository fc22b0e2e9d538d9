import { TenonError } from '../../base/errors.js';
import type { Caller } from '../../protocol/caller.js';

/** The contents of a token that was verified. */
export interface VerifiedToken extends Omit<Caller, 'principal'> {
  /** The issuer of the token. */
  readonly issuer?: string | undefined;
  /** Derived from the issuer, the subject and the client if not given. */
  readonly principal?: string | undefined;
}

/** Verifies access tokens. */
export interface Verifier {
  /**
   * Throws `InvalidToken` for a token that is not valid for `resource`. Any other error means that the token cannot be
   * verified now; the request is then refused.
   */
  verify(token: string, resource: string): Promise<VerifiedToken>;
  /** For how many milliseconds an outcome may be kept; a revoked token is accepted that long. */
  readonly cacheMs: number;
}

/**
 * A token that must not be accepted. A `verify` function throws it; the client gets 401 with this message.
 *
 * @example
 * const auth = protect({
 *   authorizationServers: ['https://login.example.com'],
 *   verify(token) {
 *     if (revoked.has(token)) throw new InvalidToken('the token was revoked');
 *     return { subject: 'ada' };
 *   },
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling
 */
export class InvalidToken extends TenonError {
  override readonly name = 'InvalidToken';
  override readonly kind = 'invalid-token';
}

/**
 * The token cannot be verified now: the authorization server, or its keys, cannot be reached or understood. Meanwhile
 * clients are refused with status 503. The error goes to `onError` of the server; check the authorization server.
 *
 * @example
 * const server = new Server({ name: 'bank', version: '1.0.0' }, {
 *   onError(error) {
 *     if (error instanceof VerifierUnavailable) console.error('nobody can sign in:', error.message);
 *   },
 * });
 */
export class VerifierUnavailable extends TenonError {
  override readonly name = 'VerifierUnavailable';
  override readonly kind = 'verifier-unavailable';
}

/** A claim as a text; undefined if it is empty or not a string. */
export function claimText(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

/** The scopes of a token: words in a text, or, from some servers, a list. */
export function readScopes(scope: unknown): string[] {
  if (typeof scope === 'string') return scope.split(' ').filter(word => word !== '');
  return Array.isArray(scope) ? scope.filter(word => typeof word === 'string') : [];
}
