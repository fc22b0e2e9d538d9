import type { AuthorizationServer } from 'oauth4webapi';
import type { Awaitable } from '../../base/settle.js';
import type { ClientIdentity } from './client-identity.js';
import type { ProofKey, StoredKey } from './dpop.js';
import type { GuardedFetch } from './guarded-fetch.js';
import type { TokenOrigin, TokenSet } from './tokens.js';

/** What tokens are wanted, and from whom. */
export interface Wanted {
  serverUrl: string;
  server: AuthorizationServer;
  resource: string;
  scopes: readonly string[];
  fetch: GuardedFetch;
  /** What tokens are to be bound to, if they are. */
  key: ProofKey | undefined;
  storedKey: StoredKey | undefined;
  /** Aborts when nobody waits for them any more. What has been sent is still waited for: it may spend a token. */
  signal: AbortSignal;
}

/** A way to get tokens. */
export interface Grant {
  /** Scopes to ask for beside those that the server wants. */
  readonly scopes: readonly string[];
  /** Of several authorization servers, the one to use. */
  readonly issuer: string | undefined;
  obtain(wanted: Wanted): Promise<TokenSet>;
  /** Who the tokens belong to, to renew them. Undefined if they cannot be renewed. */
  clientOf(server: AuthorizationServer, tokens: TokenSet): Awaitable<ClientIdentity | undefined>;
  /** The authorization server does not know the client any more. */
  forget?(server: AuthorizationServer, clientId: string): Promise<unknown>;
}

/** Where tokens come from that are given to a client as wanted. */
export function originOf({ server, resource, scopes, storedKey }: Wanted, clientId: string): TokenOrigin {
  return { issuer: server.issuer, clientId, resource, scopes, ...(storedKey && { key: storedKey }) };
}
