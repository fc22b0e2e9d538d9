import { TenonError } from '../../base/errors.js';
import type { Caller } from '../../protocol/caller.js';

/** What a token turned out to say. */
export interface VerifiedToken extends Omit<Caller, 'principal'> {
  /** Who gave the token out. */
  readonly issuer?: string | undefined;
  /** Made from the issuer, the subject and the client if not given. */
  readonly principal?: string | undefined;
}

/** Finds out what a token says. */
export interface Verifier {
  /**
   * Throws `InvalidToken` for a token that is not good for `resource`. Anything else that is thrown means that it
   * cannot be told now, and that nobody is let in.
   */
  verify(token: string, resource: string): Promise<VerifiedToken>;
  /** For how many milliseconds an outcome may be kept, and with it a token that was revoked. */
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
 * It cannot be told now whether a token is good: the authorization server, or its keys, cannot be reached or understood.
 * Nobody is let in meanwhile: clients get 503. It goes to `onError` of the server; see to the authorization server.
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

/** What a claim may hold instead of what it should. */
export function claimText(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

/** The scopes of a token: words in a text, or a list in the tokens of some servers. */
export function readScopes(scope: unknown): string[] {
  if (typeof scope === 'string') return scope.split(' ').filter(word => word !== '');
  return Array.isArray(scope) ? scope.filter(word => typeof word === 'string') : [];
}
