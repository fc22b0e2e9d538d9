import type { TokenEndpointResponse } from 'oauth4webapi';
import type { StoredKey } from './dpop.js';
import { AccessError } from './errors.js';
import { parseScopes } from './scopes.js';

/** Tokens, with all that is needed to use and renew them. */
export interface TokenSet {
  accessToken: string;
  type: 'Bearer' | 'DPoP';
  refreshToken?: string;
  /** Milliseconds since 1970. */
  obtainedAt: number;
  expiresAt?: number;
  /** What was asked for. */
  scopes: readonly string[];
  /** What was given, if the authorization server said so. */
  granted?: readonly string[];
  /** Who gave them, to whom, and for what. */
  issuer: string;
  clientId: string;
  resource: string;
  /** What they are bound to. */
  key?: StoredKey;
}

/** What stays the same from one token to the next. */
export type TokenOrigin = Pick<TokenSet, 'issuer' | 'clientId' | 'resource' | 'scopes' | 'key'>;

export function toTokenSet(response: TokenEndpointResponse, origin: TokenOrigin): TokenSet {
  const { access_token, token_type, refresh_token, expires_in, scope } = response;
  const type = token_type.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
  const problem = tokenProblem(access_token, type, origin);
  if (problem !== undefined) throw new AccessError('token', `${origin.issuer} gave a token that ${problem}`);
  const obtainedAt = Date.now();
  return {
    ...origin,
    accessToken: access_token,
    type,
    obtainedAt,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: obtainedAt + Math.min(expires_in * 1000, MAX_LIFE_MS) }),
    ...(scope !== undefined && { granted: parseScopes(scope) }),
  };
}

/** Longer ones cannot be stored as a number. */
const MAX_LIFE_MS = 1e15;

function tokenProblem(token: string, type: TokenSet['type'], { key }: TokenOrigin): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(token)) return 'no header can carry';
  if (key && type === 'Bearer') return 'is not bound to a key, which was asked for';
  if (!key && type === 'DPoP') return 'is bound to a key, though none was shown';
  return undefined;
}

/** How long before its end a token is no longer used, so that it does not end on the way. */
const MARGIN_MS = 10_000;

export function isExpired({ obtainedAt, expiresAt }: TokenSet): boolean {
  if (expiresAt === undefined) return false;
  // Tokens may live for less than the margin.
  const margin = Math.min(MARGIN_MS, (expiresAt - obtainedAt) / 10);
  return Date.now() >= expiresAt - margin;
}
