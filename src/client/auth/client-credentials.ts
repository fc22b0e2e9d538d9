import { type AuthorizationServer, clientCredentialsGrantRequest } from 'oauth4webapi';
import { UsageError } from '../../base/errors.js';
import { authenticate, belongsTo, bindIssuer, type ClientIdentity } from './client-identity.js';
import { type Grant, originOf, type Wanted } from './grant.js';
import { givenScopes } from './scopes.js';
import type { CredentialStore } from './store.js';
import { requestTokens } from './token-endpoint.js';
import { type TokenSet, toTokenSet } from './tokens.js';

/** Options of `clientCredentials`. */
export interface ClientCredentialsOptions extends ClientIdentity {
  /** Scopes to request in addition to those that the server asks for. */
  scopes?: readonly string[] | undefined;
}

/**
 * The client acts on its own behalf (OAuth client credentials).
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export class ClientCredentialsGrant implements Grant {
  readonly scopes: readonly string[];
  readonly issuer: string | undefined;
  readonly #client: ClientIdentity;
  readonly #store: CredentialStore;

  constructor({ scopes, ...client }: ClientCredentialsOptions, store: CredentialStore) {
    if (client.secret === undefined && client.privateKey === undefined)
      throw new UsageError('clientCredentials needs a secret or a privateKey');
    this.scopes = givenScopes(scopes);
    this.issuer = client.issuer;
    this.#client = client;
    this.#store = store;
  }

  async clientOf({ issuer }: AuthorizationServer): Promise<ClientIdentity | undefined> {
    return (await belongsTo(this.#client, issuer, this.#store)) ? this.#client : undefined;
  }

  async obtain(wanted: Wanted): Promise<TokenSet> {
    const { server, resource, scopes, fetch, key } = wanted;
    await bindIssuer(this.#client, server.issuer, this.#store);
    const client = { client_id: this.#client.id };
    const authentication = await authenticate(this.#client, server);
    const parameters = { resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) };
    const response = await requestTokens(server, client, { fetch, key }, options =>
      clientCredentialsGrantRequest(server, client, authentication, parameters, options),
    );
    return toTokenSet(response, originOf(wanted, this.#client.id));
  }
}
