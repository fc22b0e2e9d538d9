import type { Awaitable } from '../../base/settle.js';
import type { HttpRequest, HttpResponse } from './send.js';

/** How a client gets access to servers: the option `auth` of `connect`. See `tenon/auth/client`. */
export interface ClientAuth {
  /** Creates the authorizer for the server at a URL. Without metadata, a server counts as its own authorization server, unless `needsMetadata`. */
  authorizer(serverUrl: string, needsMetadata?: boolean): Authorizer;
}

/** Adds credentials to the requests to one server. */
export interface Authorizer {
  /**
   * Identifies the credentials that the next request will carry, such as by a digest of the token. Private results are
   * cached for the same credentials only; without this method they are not cached.
   */
  identity?(): Awaitable<string>;
  begin(
    request: Pick<HttpRequest, 'method' | 'url' | 'revision'> & {
      /** Whether nobody waits for the outcome. No user may be asked to sign in for such a request. */
      isUnattended?: boolean | undefined;
    },
  ): RequestAccess;
}

/** The credentials of one request. */
export interface RequestAccess {
  /** The headers to send. */
  headers(): Awaitable<Readonly<Record<string, string>>>;
  /** Called with every response. */
  heard(response: Pick<HttpResponse, 'status' | 'header'>): void;
  /** Called for a response with 401 or 403, unless the request is unattended. Resolves to whether to retry; throws `AccessError` if it is futile. */
  refused(response: Pick<HttpResponse, 'status' | 'header'>): Awaitable<boolean>;
  /** Called when the request is no longer needed. */
  abandon?(): void;
}
