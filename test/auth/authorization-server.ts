import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import Provider from 'oidc-provider';

/** A real authorization server on loopback, with the means to sign with its keys what it would not. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly introspectionEndpoint: string;
  readonly publicKey: JWK;
  /** A token for a resource, by the client credentials grant. */
  token(
    resource: string,
    options?: { client?: ClientName; scope?: string; prove?: (claims: object) => Promise<string> },
  ): Promise<string>;
  /** Revokes a token, so that introspection finds it inactive. */
  revoke(token: string, client: ClientName): Promise<void>;
  /** Any claims and header, signed with the key that the server publishes. */
  sign(claims: object, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** Claims of a good token for a resource. */
  claims(resource: string, changes?: object): Record<string, unknown>;
  /** How often its keys were fetched. */
  readonly keyFetches: number;
  /** Makes every request fail, as if the server were down. */
  isDown: boolean;
  close(): Promise<void>;
}

/** `opaque` gets tokens that only introspection can read; those of `brief` expire after three seconds. */
type ClientName = 'worker' | 'other' | 'opaque' | 'brief';

export const SECRET = 'a-secret-of-the-tests-that-is-long-enough';
export const SCOPES = 'mcp files:read files:write admin';

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const second = await generateKeyPair('RS256', { extractable: true });
  const kid = 'first';
  const published = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  const state = { isDown: false, keyFetches: 0 };

  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [...CLIENTS, INTROSPECTOR].map(client_id => ({
      client_id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    scopes: SCOPES.split(' '),
    jwks: {
      keys: [
        { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' },
        { ...(await exportJWK(second.privateKey)), kid: 'second', alg: 'RS256', use: 'sig' },
      ],
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string, client: { clientId: string }) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenTTL: client.clientId === 'brief' ? 3 : 3600,
          accessTokenFormat: client.clientId === 'opaque' ? 'opaque' : 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const callback = provider.callback();
  http.on('request', (request, response) => {
    if (request.url === '/jwks') state.keyFetches++;
    if (state.isDown) response.writeHead(503).end('down');
    else callback(request, response);
  });

  const post = async (path: string, client: string, form: Record<string, string>, proof?: string) => {
    const response = await fetch(issuer + path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client}:${SECRET}`)}`, ...(proof && { dpop: proof }) },
      body: new URLSearchParams(form),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };

  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    introspectionEndpoint: `${issuer}/token/introspection`,
    publicKey: published,
    async token(resource, { client = 'worker', scope = '', prove } = {}) {
      const form = { grant_type: 'client_credentials', resource, ...(scope !== '' && { scope }) };
      const proof = await prove?.({ htm: 'POST', htu: `${issuer}/token` });
      const { access_token } = await post('/token', client, form, proof);
      return access_token;
    },
    async revoke(token, client) {
      await post('/token/revocation', client, { token });
    },
    sign: (claims, header = {}) =>
      signJwt(privateKey, claims, { alg: 'RS256', kid, typ: 'at+jwt', ...header }),
    claims(resource, changes = {}) {
      const now = Math.floor(Date.now() / 1000);
      const good = {
        iss: issuer,
        aud: resource,
        sub: 'alice',
        client_id: 'worker',
        iat: now,
        exp: now + 600,
      };
      return { ...good, ...changes };
    },
    get keyFetches() {
      return state.keyFetches;
    },
    get isDown() {
      return state.isDown;
    },
    set isDown(isDown) {
      state.isDown = isDown;
    },
    async close() {
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
    },
  };
}

const CLIENTS: readonly ClientName[] = ['worker', 'other', 'opaque', 'brief'];
const INTROSPECTOR = 'the-server';

/** What the protected server identifies itself with. */
export const INTROSPECTION_CREDENTIALS = { clientId: INTROSPECTOR, clientSecret: SECRET };

export function signJwt(
  key: CryptoKey | Uint8Array,
  claims: object,
  header: JWTHeaderParameters,
): Promise<string> {
  // A header without a member is made by giving undefined for it.
  const known = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined));
  return new SignJWT(claims as Record<string, unknown>)
    .setProtectedHeader(known as JWTHeaderParameters)
    .sign(key);
}
