import { type AuthorizationServer, genericTokenEndpointRequest } from 'oauth4webapi';
import { authenticate, belongsTo, bindIssuer, type ClientIdentity, checkIssuer } from './client-identity.js';
import { type Grant, originOf, type Wanted } from './grant.js';
import type { CredentialStore } from './store.js';
import { requestTokens } from './token-endpoint.js';
import { type TokenSet, toTokenSet } from './tokens.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Exchanges an assertion, signed by an issuer that the authorization server trusts, for tokens.
 * @see https://www.rfc-editor.org/rfc/rfc7523
 */
export abstract class JwtBearerGrant implements Grant {
  readonly scopes: readonly string[];
  readonly issuer: string | undefined;
  readonly #client: ClientIdentity;
  readonly #store: CredentialStore;

  constructor(client: ClientIdentity, scopes: readonly string[], store: CredentialStore) {
    this.scopes = scopes;
    this.issuer = client.issuer;
    this.#client = client;
    this.#store = store;
  }

  /** Gets an assertion that is meant for the authorization server. */
  protected abstract assert(wanted: Wanted): Promise<string>;

  async clientOf({ issuer }: AuthorizationServer): Promise<ClientIdentity | undefined> {
    return (await belongsTo(this.#client, issuer, this.#store)) ? this.#client : undefined;
  }

  async obtain(wanted: Wanted): Promise<TokenSet> {
    const { server, resource, scopes, fetch, key } = wanted;
    await checkIssuer(this.#client, server.issuer, this.#store);
    const client = { client_id: this.#client.id };
    const authentication = await authenticate(this.#client, server);
    const assertion = await this.assert(wanted);
    // Not earlier: an authorization server that no assertion is meant for must not get the client bound to it.
    await bindIssuer(this.#client, server.issuer, this.#store);
    const parameters = {
      assertion,
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
    const response = await requestTokens(server, client, { fetch, key }, options =>
      genericTokenEndpointRequest(server, client, authentication, JWT_BEARER, parameters, options),
    );
    return toTokenSet(response, originOf(wanted, this.#client.id));
  }
}
