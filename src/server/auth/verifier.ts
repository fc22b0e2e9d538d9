import { TenonError } from '../../base/errors.js';
import type { Caller } from '../../protocol/caller.js';

/** What a token turned out to say. */
export interface VerifiedToken extends Omit<Caller, 'principal'> {
  /** Who gave the token out. */
  readonly issuer?: string;
  /** Made from the issuer, the subject and the client if not given. */
  readonly principal?: string;
}

/** Finds out what a token says. */
export interface Verifier {
  /**
   * Throws `InvalidToken` for a token that is not good for `resource`. Anything else that is thrown means that it
   * cannot be told now, and that nobody is let in.
   */
  verify(token: string, resource: string): Promise<VerifiedToken>;
  /** For how long an outcome may be kept, and with it a token that was revoked. */
  readonly cacheSeconds: number;
}

/**
 * A token that must not be accepted. The message is for the client.
 *
 * @example
 * throw new InvalidToken('the token was revoked');
 */
export class InvalidToken extends TenonError {
  override readonly name = 'InvalidToken';
  override readonly kind = 'invalid-token';
}

/**
 * Nobody can say now whether a token is good: the authorization server, or its keys, cannot be reached or understood.
 * Nobody is let in meanwhile, and `onError` is told.
 *
 * @example
 * throw new VerifierUnavailable('the keys of the issuer cannot be fetched', { cause });
 */
export class VerifierUnavailable extends TenonError {
  override readonly name = 'VerifierUnavailable';
  override readonly kind = 'verifier-unavailable';
}

/** What a claim may hold instead of what it should. */
export function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

/** The scopes of a token: words in a text, or a list in the tokens of some servers. */
export function readScopes(scope: unknown): string[] {
  if (typeof scope === 'string') return scope.split(' ').filter(word => word !== '');
  return Array.isArray(scope) ? scope.filter(word => typeof word === 'string') : [];
}
