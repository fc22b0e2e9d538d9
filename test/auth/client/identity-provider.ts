import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** What was asked of the token endpoint, and what it answered. */
export interface TokenRequest {
  readonly form: Readonly<Record<string, string | undefined>>;
  /** Lower case, as Node has them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, any>>;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface IdentityProviderOptions {
  /** Clients that are registered already. */
  clients?: readonly object[];
  /** How long access tokens live; one minute by default. */
  tokenSeconds?: number;
  /** `opaque` tokens can be revoked. */
  tokenFormat?: 'jwt' | 'opaque';
  /** How clients may show who they are; in all ways by default. */
  authMethods?: readonly string[];
  /** Whether proofs need a nonce of the provider. */
  needsNonces?: boolean;
  /** Fetches documents that describe clients, which makes the provider take their URLs as ids. */
  fetchDocument?: (url: URL, options: object) => Promise<Response>;
}

/** Scopes of all tools of these tests. */
const SCOPES = 'mcp files:read files:write mail calendar contacts';

/** Who asks the provider about tokens. */
const ASKER = { id: 'the-server', secret: 'a-secret-of-the-server-that-is-long-enough' };

/**
 * A real authorization server on loopback, until the test is over: users sign in and consent, clients register
 * themselves, and a refresh token that is used twice ends everything that came of it.
 */
export async function startIdentityProvider(
  options: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const provider = new Provider(issuer, configuration(key, options));
  const identityProvider = new IdentityProvider(issuer, provider);
  http.on('request', provider.callback());
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  });
  return identityProvider;
}

export class IdentityProvider {
  readonly issuer: string;
  readonly tokenRequests: TokenRequest[] = [];
  /** What clients said about themselves. */
  readonly registrations: Readonly<Record<string, unknown>>[] = [];
  readonly #provider: Provider;
  readonly #grants = new Set<string>();

  constructor(issuer: string, provider: Provider) {
    this.issuer = issuer;
    this.#provider = provider;
    provider.use(async (ctx, next) => {
      const askedAt = Date.now();
      await next();
      const { route, body: form } = ctx.oidc ?? {};
      const { status, body: answer, req } = ctx;
      if (route === 'token') {
        const { headers } = req;
        this.tokenRequests.push({ form, headers, status, answer, askedAt, answeredAt: Date.now() });
      }
      if (route === 'registration' && ctx.status === 201) this.registrations.push(ctx.body);
      const grantId = ctx.oidc?.entities?.Grant?.jti;
      if (grantId !== undefined) this.#grants.add(grantId);
    });
  }

  /** Options of `introspection` for servers that take its tokens. */
  get introspection() {
    const endpoint = `${this.issuer}/token/introspection`;
    return { endpoint, clientId: ASKER.id, clientSecret: ASKER.secret, issuer: this.issuer, cacheMs: 0 };
  }

  /** Requests for tokens, of one grant type. */
  requests(grantType: 'authorization_code' | 'refresh_token' | 'client_credentials'): TokenRequest[] {
    return this.tokenRequests.filter(({ form }) => form.grant_type === grantType);
  }

  /** The tokens that were given last. */
  get latest(): { accessToken: string; refreshToken: string; clientId: string } {
    const { answer, form } = this.tokenRequests.filter(({ status }) => status === 200).at(-1)!;
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      clientId: form.client_id!,
    };
  }

  /** Makes the access token that was given last worthless, and nothing else. */
  async revokeAccess(): Promise<void> {
    await (await this.#provider.AccessToken.find(this.latest.accessToken))?.destroy();
  }

  /** Revokes the refresh token that was given last, and with it all that came of the same consent. */
  async revokeAll(): Promise<void> {
    const { refreshToken: token, clientId: client_id } = this.latest;
    const body = new URLSearchParams({ token, client_id });
    const response = await fetch(`${this.issuer}/token/revocation`, { method: 'POST', body });
    if (!response.ok) throw new Error(`the token was not revoked: ${await response.text()}`);
  }

  /** Removes the clients that have registered themselves. */
  async forgetClients(): Promise<void> {
    for (const { client_id } of this.registrations)
      await this.#provider.Client.adapter.destroy(client_id as string);
  }

  /** Takes back what users have consented to. */
  async destroyGrants(): Promise<void> {
    for (const id of this.#grants) await (await this.#provider.Grant.find(id))?.destroy();
    this.#grants.clear();
  }
}

function configuration(key: object, options: IdentityProviderOptions): object {
  const { clients = [], tokenSeconds = 60, tokenFormat = 'jwt', needsNonces = false } = options;
  const { authMethods, fetchDocument } = options;
  const asker = {
    client_id: ASKER.id,
    client_secret: ASKER.secret,
    grant_types: [],
    redirect_uris: [],
    response_types: [],
  };
  return {
    clients: tokenFormat === 'opaque' ? [asker, ...clients] : clients,
    jwks: { keys: [key] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['a key that signs the cookies of these tests'] },
    scopes: ['offline_access', ...SCOPES.split(' ')],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ...(authMethods && { clientAuthMethods: authMethods }),
    ...(fetchDocument && { fetch: fetchDocument }),
    features: {
      clientCredentials: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => needsNonces },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientIdMetadataDocument: { enabled: fetchDocument !== undefined, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: tokenFormat,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}
