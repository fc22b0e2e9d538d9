import type { AuthorizationServer } from 'oauth4webapi';
import type { Awaitable } from '../../base/settle.js';
import type { ClientIdentity } from './client-identity.js';
import type { ProofKey, StoredKey } from './dpop.js';
import type { FetchRules, GuardedFetch } from './guarded-fetch.js';
import type { TokenOrigin, TokenSet } from './tokens.js';

/** The tokens to obtain, and the authorization server to obtain them from. */
export interface Wanted {
  serverUrl: string;
  server: AuthorizationServer;
  resource: string;
  scopes: readonly string[];
  fetch: GuardedFetch;
  /** Which addresses `fetch` may reach. */
  rules: FetchRules;
  /** The key to bind the tokens to, if any. */
  key: ProofKey | undefined;
  storedKey: StoredKey | undefined;
  /**
   * Aborts when no request waits for the tokens any more. A request that was sent is completed: it may use up a token.
   */
  signal: AbortSignal;
  /** Whether a scope for refresh tokens may be added to the others. */
  mayAskForOffline: boolean;
}

/** A way to obtain tokens. */
export interface Grant {
  /** Scopes to request in addition to those that the server asks for. */
  readonly scopes: readonly string[];
  /** The authorization server to prefer if there are several. */
  readonly issuer: string | undefined;
  obtain(wanted: Wanted): Promise<TokenSet>;
  /** The client that the tokens belong to, to renew them. Undefined if they cannot be renewed. */
  clientOf(server: AuthorizationServer, tokens: TokenSet): Awaitable<ClientIdentity | undefined>;
  /** Called when the authorization server no longer knows the client. */
  forget?(server: AuthorizationServer, clientId: string): Promise<unknown>;
}

/** The origin of tokens that a client obtained as `wanted`. */
export function originOf({ server, resource, scopes, storedKey }: Wanted, clientId: string): TokenOrigin {
  return { issuer: server.issuer, clientId, resource, scopes, ...(storedKey && { key: storedKey }) };
}
