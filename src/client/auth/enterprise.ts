import { type AuthorizationServer, genericTokenEndpointRequest } from 'oauth4webapi';
import type { Awaitable } from '../../base/settle.js';
import { authenticate, type ClientIdentity } from './client-identity.js';
import { discoverServer } from './discovery.js';
import { AccessError } from './errors.js';
import type { Wanted } from './grant.js';
import { JwtBearerGrant } from './jwt-bearer.js';
import { givenScopes } from './scopes.js';
import type { CredentialStore } from './store.js';
import { requestTokens } from './token-endpoint.js';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

/** Options of `enterprise`. */
export interface EnterpriseOptions {
  /** The client, as the authorization server of the MCP server knows it. */
  client: ClientIdentity;
  /** The identity provider of the enterprise, which decides which servers a user may use. */
  identityProvider: {
    issuer: string;
    /** Discovered from the issuer if not set. */
    tokenEndpoint?: string | undefined;
    /** The client, as the identity provider knows it. */
    client: ClientIdentity;
  };
  /** Returns the ID token that the identity provider issued when the user signed in to the client. */
  idToken: () => Awaitable<string>;
  /** Scopes to request in addition to those that the server asks for. */
  scopes?: readonly string[] | undefined;
}

/**
 * The enterprise decides for its users: its identity provider issues an assertion for one server, and that server's
 * authorization server exchanges the assertion for a token.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export class EnterpriseGrant extends JwtBearerGrant {
  readonly #options: EnterpriseOptions;

  constructor(options: EnterpriseOptions, store: CredentialStore) {
    super(options.client, givenScopes(options.scopes), store);
    this.#options = options;
  }

  protected override async assert({ server, resource, scopes, fetch }: Wanted): Promise<string> {
    const { identityProvider, idToken } = this.#options;
    const provider = await this.#provider(fetch);
    const client = { client_id: identityProvider.client.id };
    const authentication = await authenticate(identityProvider.client, provider);
    const parameters = {
      requested_token_type: ID_JAG,
      audience: server.issuer,
      resource,
      subject_token: await idToken(),
      subject_token_type: ID_TOKEN,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
    const response = await requestTokens(provider, client, { fetch, givesAssertion: true }, options =>
      genericTokenEndpointRequest(provider, client, authentication, TOKEN_EXCHANGE, parameters, options),
    );
    if (response.issued_token_type !== ID_JAG)
      throw new AccessError(
        'token',
        `${provider.issuer} gave ${String(response.issued_token_type)} in place of an ID-JAG`,
      );
    return response.access_token;
  }

  async #provider(fetch: Wanted['fetch']): Promise<AuthorizationServer> {
    const { issuer, tokenEndpoint } = this.#options.identityProvider;
    return tokenEndpoint === undefined
      ? discoverServer(issuer, fetch)
      : { issuer, token_endpoint: tokenEndpoint };
  }
}
