import { type AuthorizationServer, dynamicClientRegistrationRequest } from 'oauth4webapi';
import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { parseUrl } from '../../base/url.js';
import { ConnectionError } from '../../protocol/failures.js';
import { isLoopback } from './addresses.js';
import { belongsTo, bindIssuer, type ClientIdentity } from './client-identity.js';
import { AccessError } from './errors.js';
import type { GuardedFetch } from './guarded-fetch.js';
import type { CredentialStore } from './store.js';
import { httpOptions } from './token-endpoint.js';

/** How the client is known to authorization servers, or becomes known. */
export interface RegistrationOptions {
  /** The client, if it is registered already. */
  client?: ClientIdentity | undefined;
  /**
   * The https URL of a document that describes the client. It is the client's id wherever that is supported.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration#client-id-metadata-documents
   */
  clientMetadataUrl?: string | undefined;
  /** The name of the client that users see when they are asked for access. */
  clientName?: string | undefined;
  /** Whether the client may register itself when there is no other way; true by default. */
  register?: boolean | undefined;
}

/** A stored registration that the client made itself. */
interface Registered extends ClientIdentity {
  redirectUri: string;
  /** Milliseconds since 1970. */
  secretExpiresAt?: number;
}

/** Finds or creates the client's registration at each authorization server. */
export class Registrations {
  readonly #options: RegistrationOptions;
  readonly #store: CredentialStore;

  constructor(options: RegistrationOptions, store: CredentialStore) {
    checkMetadataUrl(options.clientMetadataUrl);
    this.#options = options;
    this.#store = store;
  }

  /** The registered redirect URI, if there is one. */
  async redirectUri(issuer: string): Promise<string | undefined> {
    return (await this.#read(issuer)).registered?.redirectUri;
  }

  /** The client with an id, to use its tokens. Undefined if it is no longer known. */
  async find(server: AuthorizationServer, id: string): Promise<ClientIdentity | undefined> {
    const { client, clientMetadataUrl } = this.#options;
    if (client?.id === id) return (await belongsTo(client, server.issuer, this.#store)) ? client : undefined;
    if (clientMetadataUrl === id) return { id };
    const { registered } = await this.#read(server.issuer);
    return registered?.id === id ? registered : undefined;
  }

  /** The client to sign in as; registers it if necessary. */
  async obtain(
    server: AuthorizationServer,
    redirectUri: string,
    fetch: GuardedFetch,
  ): Promise<ClientIdentity> {
    const { client, clientMetadataUrl, register = true } = this.#options;
    if (client) {
      await bindIssuer(client, server.issuer, this.#store);
      return client;
    }
    if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true)
      return { id: clientMetadataUrl };
    const { registered, version } = await this.#read(server.issuer);
    if (registered && isUsable(registered, redirectUri)) return registered;
    if (!register || server.registration_endpoint === undefined) {
      throw new AccessError(
        'registration',
        `${server.issuer} does not know this client; register it there, and pass its id as \`client\``,
      );
    }
    const made = await registerClient(server, this.#options.clientName, redirectUri, fetch);
    // If another process was faster, its registration is stored, and ours is used only this time.
    await this.#store.replace(keyOf(server.issuer), JSON.stringify(made), version);
    return made;
  }

  /** Removes a client that the authorization server no longer knows. */
  async forget(server: AuthorizationServer, id: string): Promise<boolean> {
    const { registered, version } = await this.#read(server.issuer);
    if (registered?.id !== id) return false;
    return this.#store.replace(keyOf(server.issuer), undefined, version);
  }

  async #read(issuer: string): Promise<{ registered: Registered | undefined; version: string | undefined }> {
    const stored = await this.#store.get(keyOf(issuer));
    return { registered: stored && readRegistered(stored.value), version: stored?.version };
  }
}

/** Ignores a value that is not a registration; the client then registers again. */
/**
 * Throws if a URL cannot be that of a client ID metadata document. Its text is the client's id, so it is not normalized.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00#section-3
 */
function checkMetadataUrl(url: string | undefined): void {
  if (url === undefined) return;
  const isPlain =
    /^https:\/\/[^/?#@]+\/[^#]+$/i.test(url) && !DOT_SEGMENT.test(url.split('?', 1)[0] as string);
  if (isPlain && parseUrl(url)) return;
  throw new UsageError(
    `clientMetadataUrl must be an https URL with a path, without credentials, dot segments and a fragment, not ${url}`,
  );
}

/** A part of a path that is one or two dots, also as `%2e`. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i;

function readRegistered(value: string): Registered | undefined {
  try {
    const registered: unknown = JSON.parse(value);
    return isObject(registered) && typeof registered.id === 'string'
      ? (registered as unknown as Registered)
      : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(issuer: string): string {
  return `client ${issuer}`;
}

function isUsable({ redirectUri, secretExpiresAt }: Registered, wanted: string): boolean {
  return redirectUri === wanted && (secretExpiresAt === undefined || secretExpiresAt > Date.now());
}

/** @see https://www.rfc-editor.org/rfc/rfc7591 */
async function registerClient(
  server: AuthorizationServer,
  name = 'MCP client',
  redirectUri: string,
  fetch: GuardedFetch,
): Promise<Registered> {
  const methods = server.token_endpoint_auth_methods_supported ?? ['none'];
  const metadata = {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method:
      ['none', 'client_secret_basic', 'client_secret_post'].find(method => methods.includes(method)) ??
      'none',
    application_type: isNative(redirectUri) ? 'native' : 'web',
  };
  const response = await dynamicClientRegistrationRequest(server, metadata, httpOptions(fetch)).catch(
    cause => {
      if (cause instanceof AccessError || cause instanceof ConnectionError) throw cause;
      throw new AccessError(
        'registration',
        `the registration at ${server.issuer} failed: ${(cause as Error).message}`,
        {
          cause,
        },
      );
    },
  );
  const answer: unknown = await response.json().catch(() => undefined);
  const client = isObject(answer) ? answer : {};
  if (response.ok && typeof client.client_id === 'string' && client.client_id !== '') {
    checkRedirectUris(client.redirect_uris, server.issuer, redirectUri);
    return toRegistered(client, server.issuer, redirectUri);
  }
  const reason = [client.error, client.error_description].filter(part => typeof part === 'string').join(': ');
  throw new AccessError(
    'registration',
    `${server.issuer} does not register this client (${reason || `status ${response.status}`}); register it there by hand, and pass its id as \`client\``,
  );
}

/** An authorization server may register other values than it was asked for; without the list, it did not. */
function checkRedirectUris(registered: unknown, issuer: string, redirectUri: string): void {
  if (!Array.isArray(registered) || registered.includes(redirectUri)) return;
  throw new AccessError(
    'registration',
    `${issuer} registered other redirect URIs (${registered.map(quoteBriefly).join(', ')}) than ${redirectUri}; register the client there by hand, and pass its id as \`client\``,
  );
}

function toRegistered(client: JsonObject, issuer: string, redirectUri: string): Registered {
  const {
    client_id: id,
    client_secret: secret,
    client_secret_expires_at: expiresAt,
    token_endpoint_auth_method: method,
  } = client;
  return {
    id: id as string,
    issuer,
    redirectUri,
    ...(typeof secret === 'string' && method !== 'none' && { secret }),
    ...((method === 'client_secret_basic' || method === 'client_secret_post') && { method }),
    // In seconds; 0 means never.
    ...(typeof expiresAt === 'number' && expiresAt !== 0 && { secretExpiresAt: expiresAt * 1000 }),
  };
}

/** Whether users come back to a program on their own machine. */
function isNative(redirectUri: string): boolean {
  return isLoopback(new URL(redirectUri).hostname);
}
