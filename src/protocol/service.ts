import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { CacheHint } from './caching.js';
import type { Call, ClientDescription, Result, Session } from './call.js';
import type { Caller } from './caller.js';
import type { Implementation, ServerCapabilities } from './capabilities.js';
import type { Change } from './changes.js';
import type { ParameterHeader } from './headers.js';
import type { Transport } from './transport.js';

/** Where a server keeps what transports need of it, apart from what its author calls. */
export const SERVICE: unique symbol = Symbol.for('tenon.service');

/** What can be served and connected to: a `Server`. */
export interface Servable {
  /** @internal */
  readonly [SERVICE]: LocalService;
}

/** What a transport needs of the server that it was given. `door` is the function that was called. */
export function serviceOf(server: Servable, door: string): LocalService {
  const service = server?.[SERVICE];
  if (!service) throw new UsageError(`${door} needs a Server as its first argument: ${door}(server, { … })`);
  return service;
}

/** What a transport needs of a server. */
export interface Service {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** How long the description of the server may be kept. */
  readonly discovery: CacheHint;
  capabilities(): ServerCapabilities;
  /**
   * Answers a call, or throws. `own` answers the methods that belong to the era rather than to the registry; it is
   * passed in so that middleware sees these requests too, and may change their parameters.
   */
  handle(call: Call, own?: (call: Call) => Awaitable<Result>): Awaitable<Result>;
  /** A notification that the client sent, other than the ones that steer requests. */
  notified(
    method: string,
    params: JsonObject,
    from: { client: ClientDescription; session: Session | undefined },
  ): void;
  /** Tells `listener` of every change until the returned function is called. */
  watch(listener: (change: Change) => void): () => void;
  /** The arguments of a tool that are mirrored into HTTP headers. */
  parameterHeaders(tool: string): readonly ParameterHeader[];
  /** Where unexpected errors go, since their text is not sent to clients. */
  report(error: unknown, where: string): void;
}

/** A service for callers that are trusted, as those in the same process are. */
export interface LocalService extends Service {
  /** A pipe to the server for a client in the same process. */
  openPipe(): Transport;
  /** The same service for callers who are only as trusted as their tokens. */
  remote(): RemoteService;
}

/** A service that not every caller may use all of. Its `handle` refuses what is not allowed, too. */
export interface RemoteService extends Service {
  /** Whether there is anything that not everybody may use. */
  readonly isRestricted: boolean;
  /** What a caller has to have to make a request. */
  needsOf(method: string, params: JsonObject): Needs;
}

/** What a caller has to have. */
export interface Needs {
  readonly scopes: readonly string[];
  /** Whether a caller who has these scopes also satisfies the author's rules, if there are any. */
  permits?(caller: Caller | undefined): Awaitable<boolean>;
}
