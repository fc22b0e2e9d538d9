import { onAbort, throwIfAborted } from '../../base/abort.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import type { RequestId } from '../../jsonrpc/message.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import { readChange } from '../../protocol/changes.js';
import { ConnectionError, HttpError, InvalidAnswer } from '../../protocol/failures.js';
import { HEADER } from '../../protocol/headers.js';
import type { InputRequest } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import { isImplementation } from '../../protocol/request-meta.js';
import type { SubscriptionFilter } from '../../protocol/subscription-filter.js';
import { Agreement } from '../../revisions/agreement.js';
import { decodeExtensions } from '../../revisions/decode.js';
import {
  encodeClientCapabilities,
  encodeImplementation,
  encodeParams,
} from '../../revisions/encode-declared.js';
import { findLegacy, LEGACY, type Revision } from '../../revisions/index.js';
import { taskDialect } from '../../revisions/tasks.js';
import { Deadline } from '../deadline.js';
import { removeUnsafeIcons } from '../icons.js';
import { type TimeLimits, timeLimits } from '../limits.js';
import type {
  ChangeListener,
  Link,
  LinkHost,
  RequestOptions,
  SendOptions,
  ServerDescription,
} from '../link.js';
import { checkQuestion } from '../permission.js';
import { checkFilter, readNotice } from '../reported-changes.js';
import { Requests, withProgressToken } from '../requests.js';
import { checkSending } from '../sending.js';
import type { Headers, Incoming, Wire } from '../wire.js';
import { checkCursor } from './cursors.js';
import { ServerRequests } from './server-requests.js';
import type { ReadStream } from './server-stream.js';
import { SharedStream } from './shared-stream.js';
import { WatchedResources } from './watched-resources.js';

/** A wire that knows the session which the server has opened, if its transport has sessions. */
export interface SessionWire extends Wire {
  readonly sessionId?: string | undefined;
}

/** A link to a legacy server, which starts with `initialize` and may send requests to the client. */
export class LegacyLink implements Link {
  readonly mirrorsParameters = false;
  server: ServerDescription = { info: undefined, capabilities: {}, instructions: undefined };
  readonly #host: LinkHost;
  readonly #wire: SessionWire;
  readonly #requests: Requests;
  readonly #serverRequests: ServerRequests;
  readonly #stream: SharedStream;
  readonly #limits: TimeLimits;
  /** The revisions that are accepted. */
  readonly #allowed: readonly Revision[];
  readonly #subscriptions = new Set<{ listener: ChangeListener; active: SubscriptionFilter | undefined }>();
  readonly #watched = new WatchedResources((method, params, options) =>
    this.request(method, params, options),
  );
  /** Why the connection broke for good. */
  #broken: Error | undefined;
  #agreement: Agreement;
  #sessionId: string | undefined;
  /** Another object for each session, also where sessions have no id. */
  #session = {};
  #logLevel: LogLevel | undefined;
  #renewal: Promise<void> | undefined;
  /** Whether the revision is negotiated, so that headers name it. */
  #isInitialized = false;
  /** Whether the session is not ready yet, so that its loss is dealt with where it is opened. */
  #isGreeting = false;
  #isClosed = false;

  constructor(
    wire: SessionWire,
    host: LinkHost,
    options: { limits: TimeLimits; revision?: Revision | undefined; allowed: readonly Revision[] },
  ) {
    this.#wire = wire;
    this.#host = host;
    this.#agreement = this.#agreeOn(options.revision ?? (LEGACY[0] as Revision), undefined);
    this.#logLevel = host.logLevel;
    this.#allowed = options.allowed;
    this.#limits = options.limits;
    this.#requests = new Requests(wire, {
      limits: options.limits,
      disconnectCancels: false,
      resumesStreams: true,
      headers: () => this.#headers(),
      onPostFailed: (error, headers) => this.#renewIfLost(error, headers[HEADER.sessionId]),
      middleware: host.middleware,
      onHold: until => host.opening.hold(until),
    });
    this.#serverRequests = new ServerRequests(host, this.#requests);
    const read: ReadStream = (signal, onOpen) => this.#readSessionStream(signal, onOpen);
    this.#stream = new SharedStream(read, loss => {
      if (!this.#isClosed) host.warn(loss);
    });
  }

  get revision(): string {
    return this.#agreement.revision.name;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Sends `initialize`. Throws the server's error if it refuses. */
  async open(options: RequestOptions): Promise<void> {
    // A session may be lost before it is used.
    if (!(await this.#greet(options, true))) await this.#greet(options, false);
    this.#stream.restart();
    this.#streamIfWanted();
    if (this.#logLevel !== undefined && this.#agreement.maySend('client', 'logging/setLevel')) {
      await this.#try('logging/setLevel', { level: this.#logLevel }, options);
    }
  }

  /** Opens a session. Returns false if it was lost before the server learned that the client is ready. */
  async #greet(options: RequestOptions, mayBeRepeated: boolean): Promise<boolean> {
    const lost = this.#sessionId;
    this.#sessionId = undefined;
    this.#isInitialized = false;
    const result = await this.#initialize(options).catch(error => {
      // The next request will detect the lost session again.
      this.#sessionId = lost;
      this.#isInitialized = lost !== undefined;
      // The rest of the answer belonged to the session that had just begun.
      const isOver = error instanceof ConnectionError && isSessionLost(error.cause, this.#wire.sessionId);
      if (!mayBeRepeated || !isOver) throw error;
    });
    if (!result) return false;
    this.#isInitialized = true;
    this.#sessionId = this.#wire.sessionId;
    this.#session = {};
    this.server = readDescription(result, this.#agreement.revision);
    removeUnsafeIcons(this.server.info ?? {}, this.#host.warn);
    this.#agreement = this.#agreeOn(this.#agreement.revision, this.server.capabilities);
    this.#isGreeting = true;
    try {
      await this.#requests.notify('notifications/initialized', undefined, { signal: options.signal });
      return true;
    } catch (error) {
      if (mayBeRepeated && isSessionLost(error, this.#sessionId)) return false;
      await this.#endSession(this.#sessionId);
      throw error;
    } finally {
      this.#isGreeting = false;
    }
  }

  async request(method: string, params: JsonObject, options: SendOptions): Promise<JsonObject> {
    const { deadline = new Deadline(timeLimits(options, this.#limits).maxTimeoutMs) } = options;
    const own = { ...options, deadline };
    const wait = <T>(opening: Promise<T>) => this.#host.opening.for(opening, method, own);
    if (this.#renewal) await wait(this.#renewal);
    checkSending(this.#agreement, method, params);
    checkCursor(params, options.deadline, this.#session);
    // Servers drop questions that they would ask before this stream is open.
    const opening = this.#streamIfWanted();
    if (opening) await wait(opening);
    const session = this.#sessionId;
    try {
      return await this.#send(method, params, own);
    } catch (error) {
      // The server no longer knows the session, so it has not processed the request.
      if (!isSessionLost(error, session) || this.#isClosed) throw error;
      await wait(this.#renew(session));
      checkSending(this.#agreement, method, params);
      checkCursor(params, options.deadline, this.#session);
      const reopening = this.#streamIfWanted();
      if (reopening) await wait(reopening);
      return this.#send(method, params, own);
    }
  }

  allow(question: InputRequest): InputRequest {
    return checkQuestion(this.#agreement, question);
  }

  /** Results of this era have no common mark. */
  isExpected(): boolean {
    return true;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    checkSending(this.#agreement, method, params);
    if (method === 'notifications/progress') this.#serverRequests.checkProgress(params);
    const session = this.#sessionId;
    try {
      await this.#requests.notify(method, params);
    } catch (error) {
      if (!isSessionLost(error, session) || this.#isClosed) throw error;
      await this.#renew(session);
      checkSending(this.#agreement, method, params);
      await this.#requests.notify(method, params);
    }
  }

  async setLogLevel(level: LogLevel, options: RequestOptions): Promise<void> {
    await this.request('logging/setLevel', { level }, options);
    this.#logLevel = level;
  }

  async ping(options: RequestOptions): Promise<void> {
    await this.request('ping', {}, options);
  }

  async listen(filter: SubscriptionFilter, listener: ChangeListener, signal: AbortSignal): Promise<void> {
    if (this.#broken) throw this.#broken;
    const wanted = checkFilter(this.#agreement, filter);
    const subscription = { listener, active: undefined as SubscriptionFilter | undefined };
    this.#subscriptions.add(subscription);
    const stream = this.#stream.open();
    stream.users++;
    const uris = new Set<string>();
    const over = [stream.done, aborted(signal)];
    try {
      const active = await this.#watched.addAll(wanted, uris, signal);
      await Promise.race([stream.opening, ...over]);
      subscription.active = active;
      listener.acknowledged(active);
      await Promise.race(over);
      if (this.#broken) throw this.#broken;
    } finally {
      this.#subscriptions.delete(subscription);
      if (--stream.users === 0 && !this.#host.isListening) stream.stop();
      for (const uri of uris) this.#watched.remove(uri, this.#isClosed || this.isBroken);
    }
  }

  async rootsChanged(): Promise<void> {
    const method = 'notifications/roots/list_changed';
    if (this.#agreement.maySend('client', method)) await this.notify(method);
  }

  /** Handles a notification or a request of the server. */
  receive(message: Incoming, session?: string, about?: RequestId): void {
    if (message.kind !== 'notification') {
      const origin = { session, about, headers: this.#headers(session), agreement: this.#agreement };
      return void this.#serverRequests.take(message, origin);
    }
    const { method, params } = message;
    if (method === 'notifications/progress') return this.#requests.progressed(params);
    if (method === 'notifications/cancelled') return this.#serverRequests.cancelled(params, session);
    const change = readChange(method, params);
    // The end of a page is no change of anything that the client keeps, so it is for the host.
    if (!change || change.kind === 'elicitation') {
      const notice = readNotice(this.#host.claims, method, params);
      if (notice) for (const { listener } of this.#subscriptions) listener.changed(notice);
      return this.#host.notified(method, params);
    }
    this.#host.changed(change);
    for (const { listener } of this.#subscriptions) listener.changed(change);
  }

  /** The connection broke for good. */
  broke(reason: Error): void {
    this.#broken = reason;
    this.#stream.stop();
    this.#serverRequests.end('the connection broke');
  }

  async close(reason?: Error): Promise<void> {
    this.#isClosed = true;
    this.#broken ??= reason ?? new ConnectionError('the client was closed');
    this.#requests.close(this.#broken);
    this.#serverRequests.end('the client was closed');
    this.#stream.stop();
    await this.#endSession(this.#sessionId);
    await this.#wire.close(reason);
  }

  async #initialize(options: RequestOptions): Promise<JsonObject> {
    const params = {
      protocolVersion: this.revision,
      capabilities: this.#agreement.client,
      clientInfo: encodeImplementation(this.#agreement.revision, this.#host.info),
    };
    const limits = { ...options, cannotBeCancelled: true };
    const result = await this.#requests.send('initialize', params, limits);
    const revision = findLegacy(result.protocolVersion as string);
    const problem = revision ? this.#pinProblem(revision) : unknownRevision(result.protocolVersion);
    if (problem) {
      await this.#endSession(this.#wire.sessionId, revision?.name);
      throw problem;
    }
    this.#agreement = this.#agreeOn(revision as Revision, undefined);
    return result;
  }

  #pinProblem({ name }: Revision): Error | undefined {
    if (this.#allowed.some(revision => revision.name === name)) return undefined;
    const asked = this.#allowed.map(revision => revision.name).join(' or ');
    return new ConnectionError(`it answered with revision ${name}, not with the ${asked} asked for`);
  }

  /** Tells the server that a session is over. */
  async #endSession(session: string | undefined, revision?: string): Promise<void> {
    if (session === undefined) return;
    const version = revision === undefined ? {} : { [HEADER.protocolVersion]: revision };
    await this.#wire.end?.({ ...this.#headers(session), ...version }).catch(() => {
      // Some servers do not allow clients to end sessions.
    });
  }

  #agreeOn(revision: Revision, server: ServerCapabilities | undefined): Agreement {
    const { capabilities, claims } = this.#host;
    const declared = encodeClientCapabilities(revision, capabilities);
    // On the wire they stand in \`experimental\` there.
    const { extensions } = revision.experimentalExtensions ? capabilities : declared;
    return new Agreement(revision, { ...declared, ...(extensions && { extensions }) }, server, claims);
  }

  async #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const session = this.#sessionId;
    const withId = options.onProgress ? withProgressToken : undefined;
    const known = encodeParams(this.#agreement.revision, method, params);
    return this.#requests.send(method, known, options, withId).catch(error => {
      // Only the rest of the answer was refused: the request may have been carried out, so it is not repeated.
      if (error instanceof ConnectionError) this.#renewIfLost(error.cause, session);
      throw error;
    });
  }

  /** The headers of a message in a session, by default in the current one. */
  #headers(session = this.#sessionId): Headers {
    return {
      ...(this.#isInitialized && { [HEADER.protocolVersion]: this.revision }),
      ...(session !== undefined && { [HEADER.sessionId]: session }),
    };
  }

  /** Starts a new session in place of a lost one; all requests that noticed the loss share it. */
  #renew(lost: string | undefined): Promise<void> {
    if (this.#sessionId !== lost && !this.#renewal) return Promise.resolve();
    this.#renewal ??= this.#begin().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #isKnown(session: string | undefined): Promise<boolean> {
    return this.#send('ping', {}, {}).then(
      () => true,
      error => !isSessionLost(error, session),
    );
  }

  async #begin(): Promise<void> {
    await this.open({});
    await this.#subscribeAgain();
  }

  /** Starts a new session if an error says that the server has forgotten this one. */
  #renewIfLost(error: unknown, session: string | undefined): void {
    if (this.#isClosed || this.#isGreeting || !isSessionLost(error, session)) return;
    this.#renew(session).catch(failure => {
      this.#host.warn(`the session could not be opened again: ${messageOf(failure)}`);
    });
  }

  /** The server may have forgotten the subscriptions, and changes may have been missed. */
  async #subscribeAgain(): Promise<void> {
    for (const uri of this.#watched.uris()) await this.#try('resources/subscribe', { uri }, {});
    const acknowledge = () => {
      for (const { listener, active } of this.#subscriptions) if (active) listener.acknowledged(active);
    };
    const opening = this.#stream.opening;
    if (opening) void opening.then(acknowledge);
    else acknowledge();
  }

  /** Sends a request whose failure does not end the session. */
  async #try(method: string, params: JsonObject, options: RequestOptions): Promise<void> {
    await this.#requests.send(method, params, options).catch(error => {
      throwIfAborted(options.signal);
      this.#host.warn(`${method} failed: ${messageOf(error)}`);
    });
  }

  /** Opens the stream if the client has handlers for it. Returns a promise to wait for until the stream is open. */
  #streamIfWanted(): Promise<void> | undefined {
    if (!this.#host.isListening || !this.#wire.listen || this.#stream.isMissing || this.#isClosed)
      return undefined;
    return this.#stream.open().opening;
  }

  async #readSessionStream(signal: AbortSignal, onOpen: () => void): Promise<void> {
    if (!this.#wire.listen) {
      onOpen();
      return aborted(signal);
    }
    const session = this.#sessionId;
    let wasOpen = false;
    const open = () => {
      onOpen();
      // Servers that restarted know the session, but neither its subscriptions nor what it missed.
      if (wasOpen) void this.#subscribeAgain();
      wasOpen = true;
    };
    try {
      await this.#wire.listen(this.#headers(), signal, open);
      if (wasOpen) return;
      // Without such a stream, the server can still notify the client on the streams of responses.
      onOpen();
      await aborted(signal);
    } catch (error) {
      if (!isSessionLost(error, session)) throw error;
      // A server without such a stream may answer 404 as well. A ping shows whether it knows the session.
      if (!wasOpen && (await this.#isKnown(session))) throw error;
      await this.#renew(session);
    }
  }
}

function isSessionLost(error: unknown, session: string | undefined): boolean {
  if (session === undefined || !(error instanceof HttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.body));
}

function unknownRevision(name: unknown): InvalidAnswer {
  const known = LEGACY.map(revision => revision.name).join(', ');
  return new InvalidAnswer(
    `the server wants to speak revision ${quoteBriefly(name)}; handshakes settle on ${known}`,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => void onAbort(signal, resolve));
}

function readDescription(result: JsonObject, revision: Revision): ServerDescription {
  const { tasks, ...others } = isObject(result.capabilities) ? result.capabilities : ({} as JsonObject);
  // On a revision without tasks, nothing says what these would be.
  const hasTasks = tasks !== undefined && taskDialect(revision.name) === 'core';
  const capabilities: ServerCapabilities = hasTasks ? { ...others, tasks } : others;
  return {
    info: isImplementation(result.serverInfo) ? result.serverInfo : undefined,
    capabilities: decodeExtensions(revision, capabilities),
    instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
  };
}
