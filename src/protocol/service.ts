import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { CacheHint } from './caching.js';
import type { Call, ClientDescription, Result, Session } from './call.js';
import type { Caller } from './caller.js';
import type { Implementation, ServerCapabilities } from './capabilities.js';
import type { Change, MissedChanges } from './changes.js';
import type { Claims } from './extensions.js';
import type { ParameterHeader } from './parameter-headers.js';
import type { Transport } from './transport.js';

/** The key under which a server exposes its interface for transports, apart from the author's API. */
export const SERVICE: unique symbol = Symbol.for('tenon.service');

/** Anything that can be served and connected to: a `Server`. */
export interface Servable {
  /** @internal */
  readonly [SERVICE]: LocalService;
}

/**
 * Whether a value is a server, also one of another copy of this package: for programs that load servers of others.
 *
 * @example
 * const { default: server } = await import(path);
 * if (!isServer(server)) throw new Error(`${path} exports no server`);
 */
export function isServer(value: unknown): value is Servable {
  return typeof value === 'object' && value !== null && SERVICE in value;
}

/** The interface of a server for transports. `functionName` is the public function that got the server. */
export function serviceOf(server: Servable, functionName: string): LocalService {
  const service = server?.[SERVICE];
  if (!service)
    throw new UsageError(
      `${functionName} needs a Server as its first argument: ${functionName}(server, { … })`,
    );
  return service;
}

/** The interface of a server for transports. */
export interface Service {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** Whether results carry the name and version of the server, where the revision leaves that open. */
  readonly sendsInfo: boolean;
  /** How long the description of the server may be cached. */
  readonly discovery: CacheHint;
  /** How long the state of a round is valid; undefined for the default. */
  readonly roundLifetimeMs: number | undefined;
  /** How fast the notifications of handlers are sent. */
  readonly noticeRates: NoticeRates;
  /** The parts that extensions brought; undefined without extensions. */
  readonly claims: Claims | undefined;
  /** The middleware around questions, for those that belong to no request. */
  readonly questionLayers: readonly object[];
  /** The parameters of a notification that belongs to no request, after middleware; undefined if that dropped it. */
  outgoing(method: string, params: JsonObject, to: NotificationSender): JsonObject | undefined;
  capabilities(): ServerCapabilities;
  /**
   * Handles a call, or throws. `own` handles the methods that belong to the era rather than to the registry; it is
   * passed in so that middleware sees these requests too, and may change their parameters.
   */
  handle(call: Call, own?: (call: Call) => Awaitable<Result>): Awaitable<Result>;
  /**
   * Handles a notification of the client, other than those about requests. Resolves when its handler has ended;
   * undefined if there is none.
   */
  notified(method: string, params: JsonObject, from: NotificationSender): Promise<void> | undefined;
  /** Calls `listener` for every change until the returned function is called. */
  watch(listener: ChangeWatcher): () => void;
  /** Takes a change that another node announced. */
  hear(change: Change | MissedChanges): void;
  /** Tells the listeners about changes at once that would otherwise be collected for a moment. */
  flushChanges(): void;
  /** The arguments of the tool in a request that are mirrored into HTTP headers; none if the tool is hidden. */
  parameterHeaders(params: JsonObject, caller: Caller | undefined): Awaitable<readonly ParameterHeader[]>;
  /** Whether a resource exists, as far as the caller may know. */
  hasResource(uri: string, caller: Caller | undefined): Awaitable<boolean>;
  /** Whether a caller that subscribed to these resources may still use one of them. */
  mayWatch(
    uris: readonly string[],
    caller: Caller | undefined,
    session: Session | undefined,
  ): Awaitable<boolean>;
  /** Reports an unexpected error, since its message is not sent to clients. */
  report(error: unknown, where: string): void;
  /** Tells the operator about something that works, but perhaps not as intended. */
  warn(message: string, where: string): void;
  /** Whether no other process can serve its clients, as in a test. */
  readonly isAlone?: boolean;
}

/** Hears of changes; `isHeard` if another node announced the change, and not this one. */
export type ChangeWatcher = (change: Change | MissedChanges, isHeard: boolean) => void;

/** The part of a service that sessions need. */
export type SessionService = Pick<Service, 'noticeRates' | 'claims' | 'questionLayers' | 'outgoing' | 'warn'>;

/** How many notifications of a request are sent per second; undefined for the defaults. */
export interface NoticeRates {
  readonly progress?: number | undefined;
  readonly logs?: number | undefined;
}

/** The sender of a notification. */
export interface NotificationSender {
  client: ClientDescription;
  session: Session | undefined;
  caller: Caller | undefined;
}

/** A service for trusted callers, such as those in the same process. */
export interface LocalService extends Service {
  /** Opens a pipe to the server for a client in the same process. */
  openPipe(): Transport;
  /** The same service for callers that are only as trusted as their tokens. */
  remote(): RemoteService;
  /** The server's own options for errors and warnings. What is changed here holds from then on. */
  readonly reporting: Reporting;
}

/** Where errors and warnings of a server go. */
export interface Reporting {
  /** Sends the messages of unexpected errors to clients. Off by default, because they may contain secrets. */
  exposeErrors?: boolean | undefined;
  /** Receives unexpected errors; they are printed to standard error if not set. */
  onError?: ((error: unknown, where: string) => void) | undefined;
  /** Receives warnings, such as that keys are missing; they are printed to standard error if not set. */
  onWarning?: ((message: string, where: string) => void) | undefined;
}

/** A service with access control. Its `handle` also refuses requests that are not allowed. */
export interface RemoteService extends Service {
  /** Whether access to anything is restricted. */
  readonly isRestricted: boolean;
  /** The requirements for a request. */
  needsOf(method: string, params: JsonObject): Needs;
}

/** The requirements that a caller has to meet. */
export interface Needs {
  readonly scopes: readonly string[];
  /** Whether a caller who has these scopes also satisfies the author's own rules, if there are any. */
  permits?(caller: Caller | undefined): Awaitable<boolean>;
}
