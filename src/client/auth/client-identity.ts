import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose';
import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';
import { UsageError } from '../../base/errors.js';
import { AccessError } from './errors.js';
import type { CredentialStore } from './store.js';

/** A client as an authorization server knows it. */
export interface ClientIdentity {
  id: string;
  secret?: string | undefined;
  /** How the secret is sent; by default in a way that the authorization server supports. */
  method?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /** Signs assertions instead of using a secret: PKCS #8 as PEM, a JWK, or a `CryptoKey`. */
  privateKey?: string | JWK | CryptoKey | undefined;
  /** The algorithm of the private key, `ES256` by default. */
  algorithm?: string | undefined;
  /** The only authorization server that may see these credentials. Without it, the first one that is used. */
  issuer?: string | undefined;
}

/** How a client authenticates at the token endpoint. */
export async function authenticate(client: ClientIdentity, server: AuthorizationServer): Promise<ClientAuth> {
  if (client.privateKey !== undefined)
    return PrivateKeyJwt(await importKey(client.privateKey, client.algorithm));
  if (client.secret === undefined) return None();
  switch (client.method ?? secretMethod(server)) {
    case 'client_secret_basic':
      return clientSecretBasic(client.secret);
    case 'client_secret_post':
      return ClientSecretPost(client.secret);
    default:
      return None();
  }
}

/**
 * As the library does it, but with the escaping of forms only: few authorization servers unescape more.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const [id, password] = [client.client_id, secret].map(part =>
      new URLSearchParams([['', part]]).toString().slice(1),
    );
    headers.set('authorization', `Basic ${btoa(`${id}:${password}`)}`);
  };
}

/** The best method to send a secret that an authorization server supports. The default of the metadata is Basic. */
function secretMethod(server: AuthorizationServer): string {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return ['client_secret_basic', 'client_secret_post'].find(method => methods.includes(method)) ?? 'none';
}

async function importKey(key: string | JWK | CryptoKey, algorithm = 'ES256'): Promise<CryptoKey> {
  if (isCryptoKey(key)) return key;
  try {
    return (await (typeof key === 'string'
      ? importPKCS8(key, algorithm)
      : importJWK(key, algorithm))) as CryptoKey;
  } catch (cause) {
    throw new UsageError(`the private key of the client is no ${algorithm} key in PKCS #8 or JWK`, { cause });
  }
}

function isCryptoKey(key: string | JWK | CryptoKey): key is CryptoKey {
  return typeof key === 'object' && !('kty' in key);
}

/**
 * Makes sure that an authorization server is the one that a client belongs to: the one that the author named, else the
 * first one that was used. Otherwise an MCP server could direct the client and its secret to any other one.
 */
export async function bindIssuer(
  client: ClientIdentity,
  issuer: string,
  store: CredentialStore,
): Promise<void> {
  if (await checkIssuer(client, issuer, store)) return;
  if (!(await store.replace(keyOf(client), issuer, undefined))) await bindIssuer(client, issuer, store);
}

/** Refuses an authorization server that the client does not belong to. Resolves to whether the client is bound yet. */
export async function checkIssuer(
  client: ClientIdentity,
  issuer: string,
  store: CredentialStore,
): Promise<boolean> {
  const bound = client.issuer ?? (await store.get(keyOf(client)))?.value;
  if (bound !== undefined && bound !== issuer) {
    throw new AccessError(
      'issuer',
      `the client ${client.id} belongs to ${bound}, but the server now uses ${issuer}; register the client there`,
    );
  }
  return bound !== undefined;
}

/** Whether a client belongs to an authorization server. The author's `issuer` overrides an older, stored one. */
export async function belongsTo(
  client: ClientIdentity,
  issuer: string,
  store: CredentialStore,
): Promise<boolean> {
  return (client.issuer ?? (await store.get(keyOf(client)))?.value) === issuer;
}

function keyOf({ id }: ClientIdentity): string {
  return `issuer of ${id}`;
}
