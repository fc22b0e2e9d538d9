import type { TokenEndpointResponse } from 'oauth4webapi';
import type { StoredKey } from './dpop.js';
import { AccessError } from './errors.js';
import { parseScopes } from './scopes.js';

/** Tokens, with everything that is needed to use and renew them. */
export interface TokenSet {
  accessToken: string;
  type: 'Bearer' | 'DPoP';
  refreshToken?: string;
  /** Milliseconds since 1970. */
  obtainedAt: number;
  expiresAt?: number;
  /** The scopes that were requested. */
  scopes: readonly string[];
  /** The scopes that were granted, if the authorization server listed them. */
  granted?: readonly string[];
  /** The authorization server, the client, and the resource that the tokens are for. */
  issuer: string;
  clientId: string;
  resource: string;
  /** The key that the tokens are bound to. */
  key?: StoredKey;
}

/** The properties that stay the same when tokens are renewed. */
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

/** Limits huge lifetimes: an infinite one cannot be stored as JSON. */
const MAX_LIFE_MS = 1e15;

function tokenProblem(token: string, type: TokenSet['type'], { key }: TokenOrigin): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(token)) return 'no header can carry';
  if (key && type === 'Bearer') return 'is not bound to a key, which was asked for';
  if (!key && type === 'DPoP') return 'is bound to a key, though none was shown';
  return undefined;
}

/** A token is no longer used this long before it expires, so that it does not expire in transit. */
const MARGIN_MS = 10_000;

export function isExpired({ obtainedAt, expiresAt }: TokenSet): boolean {
  if (expiresAt === undefined) return false;
  // The whole lifetime of a token may be shorter than the margin.
  const margin = Math.min(MARGIN_MS, (expiresAt - obtainedAt) / 10);
  return Date.now() >= expiresAt - margin;
}
