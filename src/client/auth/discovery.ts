import type { AuthorizationServer } from 'oauth4webapi';
import { isObject, type JsonObject } from '../../base/json.js';
import { parseUrl } from '../../base/url.js';
import { ConnectionError } from '../../protocol/failures.js';
import { HEADER } from '../../protocol/headers.js';
import { AccessError } from './errors.js';
import type { GuardedFetch } from './guarded-fetch.js';

/** The protected resource metadata of a server. */
export interface ProtectedResource {
  /** The resource that tokens must be issued for. */
  resource: string;
  /** Issuers of authorization servers, in the order of the document. */
  issuers: readonly string[];
  scopes: readonly string[] | undefined;
  requiresDpop: boolean;
}

/**
 * Finds the metadata of a protected resource: at the URL that the server named, else at the well-known ones. Undefined
 * if there is none, as with servers older than 2025-06-18.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery
 */
export async function discoverResource(
  serverUrl: string,
  named: string | undefined,
  fetch: GuardedFetch,
): Promise<ProtectedResource | undefined> {
  if (named !== undefined) {
    if (!parseUrl(named))
      throw new AccessError('resource', `the server names its metadata "${named}", which is no URL`);
    const document = await fetchJson(named, fetch);
    if (!document)
      throw new AccessError('resource', `there is no metadata at ${named}, where the server says it is`);
    return readResource(document, serverUrl, named);
  }
  const places = wellKnownPlaces(new URL(serverUrl), RESOURCE);
  const found = await findFirst(
    places,
    place => fetchJson(place, fetch),
    document => 'resource' in document,
  );
  return found && readResource(found.document, serverUrl, found.place);
}

function readResource(document: JsonObject, serverUrl: string, place: string): ProtectedResource {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
  if (typeof resource !== 'string' || !isResourceOf(resource, serverUrl, place)) {
    throw new AccessError(
      'resource',
      `the metadata is for ${JSON.stringify(resource)}, but the server is ${serverUrl}, and the two must be the same; nothing was sent to its authorization server`,
    );
  }
  if (!isStrings(issuers) || issuers.length === 0)
    throw new AccessError('resource', 'the metadata of the server names no authorization server');
  return {
    resource,
    issuers,
    scopes: isStrings(scopes) ? scopes : undefined,
    requiresDpop: document.dpop_bound_access_tokens_required === true,
  };
}

/**
 * Whether a resource is the server. At the root of its origin, metadata may describe the whole origin.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.3
 */
function isResourceOf(resource: string, serverUrl: string, place: string): boolean {
  const { origin, pathname, search } = new URL(serverUrl);
  if (!isPlain(resource, origin)) return false;
  // Scheme and host in any case, with or without the query, and with or without a slash at the end.
  const rest = withoutSlash(resource.slice(origin.length));
  if (rest === withoutSlash(pathname) || rest === pathname + search) return true;
  return rest === '' && place === wellKnown(new URL(origin), RESOURCE);
}

const RESOURCE = 'oauth-protected-resource';

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

/**
 * Whether every parser reads the same origin in a URL. The authorization server reads it too, to decide which resource
 * a token is for, and not every parser takes `http://evil.example\\@bistro.example` for a URL of `evil.example`.
 */
function isPlain(url: string, origin: string): boolean {
  const isUri = /^[\w.~:/?[\]@!$&'()*+,;=%-]+$/.test(url);
  return isUri && url.toLowerCase().startsWith(origin) && !/^[^/]*\/\/[^/?]*@/.test(url);
}

/**
 * Finds the metadata of the authorization server with an issuer. The metadata has to name the same issuer.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function discoverServer(
  issuer: string,
  fetch: GuardedFetch,
  revision?: string,
): Promise<AuthorizationServer> {
  // Only the place of the metadata would change with them, and not every party would take it for the same issuer.
  if (/[?#]/.test(issuer)) {
    throw new AccessError(
      'issuer',
      `${issuer} cannot be an authorization server: its URL must have no query and no fragment (RFC 8414)`,
    );
  }
  const url = parseUrl(issuer);
  const server = url && (await findServer(url, fetch, revision));
  if (!server)
    throw new AccessError('issuer', `there is no metadata of an authorization server for ${issuer}`);
  if (server.issuer !== issuer) {
    throw new AccessError(
      'issuer',
      `the metadata of ${issuer} says that it is of ${JSON.stringify(server.issuer)}; the two must be the same, letter by letter`,
    );
  }
  return server;
}

/**
 * The authorization server of a server of 2025-03-26, at the same origin: with metadata, or with the default endpoints.
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-3-fallbacks-for-servers-without-metadata-discovery
 */
export async function assumeServer(
  serverUrl: string,
  fetch: GuardedFetch,
  revision: string | undefined,
): Promise<AuthorizationServer> {
  const { origin } = new URL(serverUrl);
  const found = await findServer(new URL(origin), fetch, revision);
  if (!found) {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      // Every server of that revision must support it, but has no metadata to say so.
      code_challenge_methods_supported: ['S256'],
    };
  }
  if (found.issuer !== origin && found.issuer !== `${origin}/`)
    throw new AccessError(
      'issuer',
      `the metadata of ${origin} says that it is of ${JSON.stringify(found.issuer)}`,
    );
  return found;
}

async function findServer(
  url: URL,
  fetch: GuardedFetch,
  revision: string | undefined,
): Promise<AuthorizationServer | undefined> {
  const places = [
    wellKnown(url, 'oauth-authorization-server'),
    wellKnown(url, 'openid-configuration'),
    ...(hasPath(url) ? [`${url.href.replace(/\/$/, '')}/.well-known/openid-configuration`] : []),
  ];
  const found = await findFirst(
    places,
    place => fetchFor(revision, place, fetch),
    document => typeof document.issuer === 'string',
  );
  return found && readServer(found.document, found.document.issuer as string);
}

/** A place that fails now may be one that the server does not have. It counts only if there is no document at the others. */
async function findFirst(
  places: readonly string[],
  read: (place: string) => Promise<JsonObject | undefined>,
  isFound: (document: JsonObject) => boolean,
): Promise<{ document: JsonObject; place: string } | undefined> {
  let failure: Unreadable | undefined;
  for (const place of places) {
    const document = await read(place).catch(error => {
      if (!(error instanceof Unreadable)) throw error;
      failure ??= error;
    });
    if (document && isFound(document)) return { document, place };
  }
  if (failure) throw failure;
  return undefined;
}

/** The server of a document fails. */
class Unreadable extends AccessError {
  constructor(url: string, status: number) {
    super('document', `${url} cannot be read now: it answers with status ${status}`);
  }
}

const LISTS = [
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
];
const ENDPOINTS = ['authorization_endpoint', 'registration_endpoint', 'token_endpoint'];

/** The metadata without members of a wrong type: the string `"S256"` would pass for a list that includes it. */
function readServer(document: JsonObject, issuer: string): AuthorizationServer {
  const isUsable = ([name, value]: [string, unknown]) => {
    if (LISTS.includes(name)) return isStrings(value);
    return ENDPOINTS.includes(name) ? typeof value === 'string' : true;
  };
  return { ...Object.fromEntries(Object.entries(document).filter(isUsable)), issuer };
}

function wellKnownPlaces(url: URL, name: string): string[] {
  return [...(hasPath(url) ? [wellKnown(url, name)] : []), `${url.origin}/.well-known/${name}`];
}

function wellKnown(url: URL, name: string): string {
  const path = hasPath(url) ? url.pathname.replace(/\/$/, '') : '';
  return `${url.origin}/.well-known/${name}${path}${url.search}`;
}

function hasPath(url: URL): boolean {
  return url.pathname !== '/';
}

/**
 * Fetches metadata of an authorization server, which may depend on the revision.
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#2-3-2-server-metadata-discovery
 */
async function fetchFor(
  revision: string | undefined,
  url: string,
  fetch: GuardedFetch,
): Promise<JsonObject | undefined> {
  if (revision === undefined) return fetchJson(url, fetch);
  return fetchJson(url, fetch, { [HEADER.protocolVersion]: revision }).catch(error => {
    if (!(error instanceof ConnectionError)) throw error;
    // Browsers send the header only to servers that allow it, and do not say why a request failed.
    return fetchJson(url, fetch);
  });
}

/** The JSON object at a URL; undefined if there is none. */
async function fetchJson(
  url: string,
  fetch: GuardedFetch,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject | undefined> {
  const response = await fetch(url, { headers: { ...headers, accept: 'application/json' } });
  if (response.status >= 500) throw new Unreadable(url, response.status);
  if (!response.ok) return undefined;
  const document: unknown = await response.json().catch(() => undefined);
  return isObject(document) ? document : undefined;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}
