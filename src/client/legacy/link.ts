import { onAbort, throwIfAborted } from '../../base/abort.js';
import { Cancelled } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import { errorText, type Request, type RequestId, resultText } from '../../jsonrpc/message.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import { type Change, readChange, type SubscriptionFilter, wantsChange } from '../../protocol/changes.js';
import { McpError, methodNotFound } from '../../protocol/errors.js';
import { HttpError, InvalidAnswer } from '../../protocol/failures.js';
import { HEADER } from '../../protocol/headers.js';
import type { InputRequest } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import { isImplementation } from '../../protocol/request-meta.js';
import { findLegacy, LEGACY, type Revision } from '../../revisions/index.js';
import { MAX_QUESTIONS, type TimeLimits } from '../limits.js';
import type { Link, LinkHost, RequestOptions, ServerDescription } from '../link.js';
import { Requests, withProgressToken } from '../requests.js';
import type { Headers, Incoming, Wire } from '../wire.js';
import { ServerStream } from './server-stream.js';

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
  /** The questions of the server that are being answered. */
  readonly #questions = new Map<RequestId, AbortController>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #watched = new Map<string, number>();
  #revision: Revision;
  #sessionId: string | undefined;
  #logLevel: LogLevel | undefined;
  #renewal: Promise<void> | undefined;
  #stream: ServerStream | undefined;
  /** Whether the server turned out to have no stream for its own messages. */
  #hasNoStream = false;
  /** Whether the revision is negotiated, so that headers name it. */
  #isInitialized = false;
  #isClosed = false;

  constructor(
    wire: SessionWire,
    host: LinkHost,
    options: { limits: TimeLimits; revision?: Revision | undefined },
  ) {
    this.#wire = wire;
    this.#host = host;
    this.#revision = options.revision ?? (LEGACY[0] as Revision);
    this.#logLevel = host.logLevel;
    this.#requests = new Requests(wire, {
      limits: options.limits,
      disconnectCancels: false,
      resumesStreams: true,
      headers: () => this.#headers(),
    });
  }

  get revision(): string {
    return this.#revision.name;
  }

  /** Sends `initialize`. Throws the server's error if it refuses. */
  async open(options: RequestOptions): Promise<void> {
    const lost = this.#sessionId;
    this.#sessionId = undefined;
    this.#isInitialized = false;
    const result = await this.#initialize(options).catch(error => {
      // The next request will detect the lost session again.
      this.#sessionId = lost;
      this.#isInitialized = lost !== undefined;
      throw error;
    });
    this.#isInitialized = true;
    this.#sessionId = this.#wire.sessionId;
    this.server = readDescription(result);
    await this.#requests.notify('notifications/initialized', undefined, options.signal);
    this.#hasNoStream = false;
    this.#stream?.restart();
    this.#streamIfWanted();
    if (this.#logLevel !== undefined && this.server.capabilities.logging) {
      await this.#try('logging/setLevel', { level: this.#logLevel }, options);
    }
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#renewal) await this.#renewal;
    // Servers drop questions that they would ask before this stream is open.
    const opening = this.#streamIfWanted();
    if (opening) await opening;
    const session = this.#sessionId;
    try {
      return await this.#send(method, params, options);
    } catch (error) {
      // The server no longer knows the session, so it has not processed the request.
      if (!isSessionLost(error, session) || this.#isClosed) throw error;
      await this.#renew(session, options);
      await this.#streamIfWanted();
      return this.#send(method, params, options);
    }
  }

  /** Results of this era have no common mark. */
  isExpected(): boolean {
    return true;
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.#requests.notify(method, params);
  }

  async setLogLevel(level: LogLevel, options: RequestOptions): Promise<void> {
    this.#logLevel = level;
    await this.request('logging/setLevel', { level }, options);
  }

  async ping(options: RequestOptions): Promise<void> {
    await this.request('ping', {}, options);
  }

  async listen(
    filter: SubscriptionFilter,
    onChange: (change: Change) => void,
    onReady: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const listener = (change: Change) => {
      if (wantsChange(filter, change)) onChange(change);
    };
    const uris = filter.resourceSubscriptions ?? [];
    this.#listeners.add(listener);
    const stream = this.#sharedStream();
    stream.users++;
    try {
      for (const uri of uris) await this.#watch(uri, signal);
      await Promise.race([stream.done, stream.opening, aborted(signal)]);
      onReady();
      await Promise.race([stream.done, aborted(signal)]);
    } finally {
      this.#listeners.delete(listener);
      if (--stream.users === 0 && !this.#host.isListening) stream.stop();
      if (!this.#isClosed) for (const uri of uris) this.#unwatch(uri);
    }
  }

  async rootsChanged(): Promise<void> {
    await this.notify('notifications/roots/list_changed');
  }

  /** Handles a notification or a request of the server. */
  receive(message: Incoming): void {
    if (message.kind === 'request') return void this.#answer(message);
    const { method, params } = message;
    if (method === 'notifications/progress') return this.#requests.progressed(params);
    if (method === 'notifications/cancelled') {
      const why = typeof params.reason === 'string' ? params.reason : 'the server withdrew its question';
      return this.#questions.get(params.requestId as RequestId)?.abort(new Cancelled(why));
    }
    const change = readChange(method, params);
    if (!change) return this.#host.notified(method, params);
    this.#host.changed(change);
    for (const listener of this.#listeners) listener(change);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const question of this.#questions.values()) question.abort(new Cancelled('the client was closed'));
    this.#stream?.stop();
    if (this.#sessionId !== undefined) {
      await this.#wire.end?.(this.#headers()).catch(() => {
        // Some servers do not allow clients to end sessions.
      });
    }
    await this.#wire.close();
  }

  async #initialize(options: RequestOptions): Promise<JsonObject> {
    const params = {
      protocolVersion: this.#revision.name,
      capabilities: this.#host.capabilities,
      clientInfo: this.#host.info,
    };
    const limits = { ...options, cannotBeCancelled: true };
    const result = await this.#requests.send('initialize', params, limits);
    const revision = findLegacy(result.protocolVersion as string);
    if (!revision) {
      const known = LEGACY.map(({ name }) => name).join(', ');
      throw new InvalidAnswer(
        `the server wants to speak revision ${quoteBriefly(result.protocolVersion)}; handshakes settle on ${known}`,
      );
    }
    this.#revision = revision;
    return result;
  }

  #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#requests.send(method, params, options, options.onProgress ? withProgressToken : undefined);
  }

  #headers(): Headers {
    if (!this.#isInitialized) return {};
    return {
      [HEADER.protocolVersion]: this.#revision.name,
      ...(this.#sessionId !== undefined && { [HEADER.sessionId]: this.#sessionId }),
    };
  }

  /** Starts a new session in place of a lost one; all requests that noticed the loss share it. */
  #renew(lost: string | undefined, options: RequestOptions): Promise<void> {
    if (this.#sessionId !== lost && !this.#renewal) return Promise.resolve();
    this.#renewal ??= this.#begin(options).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #begin({ timeoutMs }: RequestOptions): Promise<void> {
    await this.open({ timeoutMs });
    for (const uri of this.#watched.keys()) {
      await this.#try('resources/subscribe', { uri }, { timeoutMs });
    }
  }

  /** Sends a request whose failure does not end the session. */
  async #try(method: string, params: JsonObject, options: RequestOptions): Promise<void> {
    await this.#requests.send(method, params, options).catch(error => {
      throwIfAborted(options.signal);
      this.#host.warn(`${method} failed: ${messageOf(error)}`);
    });
  }

  async #answer({ id, method, params }: Request): Promise<void> {
    // Limits the questions in progress: further ones, and repeated ids, are ignored.
    if (this.#questions.size >= MAX_QUESTIONS || this.#questions.has(id)) return;
    const controller = new AbortController();
    this.#questions.set(id, controller);
    try {
      const text = await this.#reply(id, method, params, controller.signal);
      if (!controller.signal.aborted && !this.#isClosed) await this.#requests.answer(method, text);
    } catch (error) {
      this.#host.warn(`an answer to ${method} could not be sent: ${messageOf(error)}`);
    } finally {
      this.#questions.delete(id);
    }
  }

  async #reply(id: RequestId, method: string, params: JsonObject, signal: AbortSignal): Promise<string> {
    try {
      if (method === 'ping') return resultText(id, '{}');
      if (!this.#revision.questions.has(method)) throw methodNotFound(method);
      const answer = await this.#host.answer({ method, params } as InputRequest, signal);
      return resultText(id, JSON.stringify(answer));
    } catch (thrown) {
      const { code, message, data } = McpError.from(thrown);
      return errorText(id, { code, message, data });
    }
  }

  async #watch(uri: string, signal: AbortSignal): Promise<void> {
    const count = this.#watched.get(uri) ?? 0;
    this.#watched.set(uri, count + 1);
    if (count === 0) await this.request('resources/subscribe', { uri }, { signal });
  }

  #unwatch(uri: string): void {
    const count = (this.#watched.get(uri) ?? 1) - 1;
    if (count > 0) return void this.#watched.set(uri, count);
    this.#watched.delete(uri);
    this.request('resources/unsubscribe', { uri }, {}).catch(() => {
      // A failure does not matter: the server would only send unneeded updates.
    });
  }

  /** Opens the stream if the client has handlers for it. Returns a promise to wait for until the stream is open. */
  #streamIfWanted(): Promise<void> | undefined {
    if (!this.#host.isListening || !this.#wire.listen || this.#hasNoStream || this.#isClosed)
      return undefined;
    return this.#sharedStream().opening;
  }

  /** The stream for messages that the server sends by itself. All listeners share it. */
  #sharedStream(): ServerStream {
    if (this.#stream) return this.#stream;
    const stream = new ServerStream((signal, onOpen) => this.#readSessionStream(signal, onOpen));
    this.#stream = stream;
    const over = () => {
      this.#hasNoStream = !stream.wasOpen;
      if (this.#stream === stream) this.#stream = undefined;
    };
    stream.done.then(over, over);
    return stream;
  }

  async #readSessionStream(signal: AbortSignal, onOpen: () => void): Promise<void> {
    if (!this.#wire.listen) {
      onOpen();
      return aborted(signal);
    }
    const session = this.#sessionId;
    let wasOpen = false;
    const open = () => {
      wasOpen = true;
      onOpen();
    };
    try {
      await this.#wire.listen(this.#headers(), signal, open);
      if (wasOpen) return;
      // Without such a stream, the server can still notify the client on the streams of responses.
      onOpen();
      await aborted(signal);
    } catch (error) {
      // A server that has not opened a stream in this session has none.
      if (!wasOpen || !isSessionLost(error, session)) throw error;
      await this.#renew(session, {});
    }
  }
}

function isSessionLost(error: unknown, session: string | undefined): boolean {
  if (session === undefined || !(error instanceof HttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.body));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => void onAbort(signal, resolve));
}

function readDescription(result: JsonObject): ServerDescription {
  return {
    info: isImplementation(result.serverInfo) ? result.serverInfo : undefined,
    capabilities: (isObject(result.capabilities) ? result.capabilities : {}) as ServerCapabilities,
    instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
  };
}
