import type { Awaitable } from '../../base/settle.js';
import type { HttpRequest, HttpResponse } from './send.js';

/** How a client gets access to servers: what `connect` takes as `auth`. See `tenon/auth/client`. */
export interface ClientAuth {
  /** Who gets access to the server at a URL. */
  authorizer(serverUrl: string): Authorizer;
}

/** Gives requests to one server what they need to be let in. */
export interface Authorizer {
  begin(request: Pick<HttpRequest, 'method' | 'url'>): RequestAccess;
}

/** One request's way in. */
export interface RequestAccess {
  /** The headers to send. */
  headers(): Awaitable<Readonly<Record<string, string>>>;
  /** Looks at every response. */
  heard(response: Pick<HttpResponse, 'status' | 'header'>): void;
  /** The server refused with 401 or 403. Resolves to whether to try again. Throws `AccessError` if that is in vain. */
  refused(response: Pick<HttpResponse, 'status' | 'header'>): Awaitable<boolean>;
  /** Nobody waits for the request any more. */
  abandon?(): void;
}
