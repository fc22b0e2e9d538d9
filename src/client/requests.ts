import { throwIfAborted } from '../base/abort.js';
import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { notificationText, type RequestId, type Response } from '../jsonrpc/message.js';
import type { Progress } from '../protocol/call.js';
import { McpError } from '../protocol/errors.js';
import { readProgressToken } from '../protocol/request-meta.js';
import { Deadline } from './deadline.js';
import { readOwnHeaders } from './http/own-headers.js';
import { type TimeLimits, timeLimits } from './limits.js';
import type { SendOptions } from './link.js';
import type { ClientMiddlewareStack } from './middleware.js';
import { Wait } from './wait.js';
import type { Headers, Wire } from './wire.js';

/** Shared by all links: a late response to a probe must not match the handshake that follows on the same wire. */
let lastId = 0;

interface RequestsOptions {
  /** For requests without limits of their own. */
  limits: TimeLimits;
  /** Whether abandoning a request also tells the server that it is cancelled. */
  disconnectCancels: boolean;
  /** Whether a broken stream with a response can be resumed. */
  resumesStreams: boolean;
  /** The headers to send with every message. */
  headers(method: string, params: JsonObject): Headers;
  readonly middleware: ClientMiddlewareStack;
  /** Called with what stops the time of a request that opens a connection. */
  onHold?(until: Promise<unknown>): void;
  /** Called when a notification or an answer could not be sent with these headers. */
  onPostFailed?(error: unknown, headers: Headers): void;
}

/** Options of requests that a link sends by itself. */
interface InternalOptions {
  cannotBeCancelled?: boolean;
  /** Whether the request does not keep the process alive. */
  isBackground?: boolean;
  /** Reports the timeout, and lets the request go on to its deadline. */
  onLate?: ((error: Error) => void) | undefined;
}

/** Sends the requests of a link, each with an id, a timeout, progress and cancellation. */
export class Requests {
  readonly #wire: Wire;
  readonly #options: RequestsOptions;
  /** The progress tokens of running requests, with the handlers of those that have one. */
  readonly #progress = new Map<RequestId, ((progress: Progress) => void) | undefined>();
  /** The waits of running requests; those in the background go on whatever the user does. */
  readonly #waits = new Map<RequestId, Wait>();
  readonly #closing = new AbortController();

  constructor(wire: Wire, options: RequestsOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Sends a request and waits for its response. `withId` adds the id to the parameters of requests that need it. */
  send(
    method: string,
    params: JsonObject,
    options: SendOptions & InternalOptions,
    withId?: (params: JsonObject, id: RequestId) => JsonObject,
  ): Promise<JsonObject> {
    const { middleware, limits } = this.#options;
    if (options.hasPassed || middleware.layers.length === 0)
      return this.#send(method, params, options, withId);
    const { timeoutMs, maxTimeoutMs } = timeLimits(options, limits);
    const { signal, deadline = new Deadline(maxTimeoutMs) } = options;
    // What runs in the background has no user who waits for it.
    const work = options.isBackground
      ? undefined
      : { deadline, timeoutMs, signals: [signal, this.#closing.signal] };
    return middleware.passRequest({ method, params, signal }, work, own =>
      this.#send(method, own, { ...options, deadline }, withId),
    );
  }

  /** Ends the requests that are held by middleware; the wire ends those that are sent. */
  close(reason: Error): void {
    this.#closing.abort(reason);
  }

  async #send(
    method: string,
    params: JsonObject,
    options: SendOptions & InternalOptions,
    withId?: (params: JsonObject, id: RequestId) => JsonObject,
  ): Promise<JsonObject> {
    const { signal, onProgress } = options;
    throwIfAborted(signal);
    const { timeoutMs, maxTimeoutMs } = timeLimits(options, this.#options.limits);
    const { deadline = new Deadline(maxTimeoutMs) } = options;
    deadline.check(method);
    const id = this.#nextId();
    const own = this.#options.headers(method, params);
    const headers = options.headers ? { ...readOwnHeaders(options.headers), ...own } : own;
    const wait = new Wait(method, timeoutMs, deadline, options.isBackground);
    if (options.cannotBeCancelled) wait.onHold = until => this.#options.onHold?.(until);
    const request = {
      id,
      method,
      params: withId ? withId(params, id) : params,
      isResumable: this.#options.resumesStreams,
    };
    const token = this.#readToken(request.params);
    const sent = this.#wire.request(request, headers, wait);
    const giveUp = (reason: string) => {
      // The cancellation belongs to the session of the request. A request that was refused cannot be cancelled.
      if (!options.cannotBeCancelled && !sent.isUntaken?.()) this.#cancel(id, reason, own);
    };
    const response = wait.for(sent, signal, giveUp, options.onLate);
    if (!options.isBackground) this.#waits.set(id, wait);
    const tell = (progress: Progress) => {
      wait.progressed();
      onProgress?.(progress);
    };
    if (token !== undefined) this.#progress.set(token, onProgress && tell);
    try {
      return readResult(await response);
    } finally {
      this.#waits.delete(id);
      if (token !== undefined) this.#progress.delete(token);
    }
  }

  /** Stops the time of all running requests: a question of the server does not say which of them it belongs to. */
  hold(until: Promise<unknown>): void {
    for (const wait of this.#waits.values()) wait.hold(until);
  }

  fail(id: RequestId, error: Error): void {
    this.#waits.get(id)?.fail(error);
  }

  /** Sends a notification. `enclose` adds to its parameters what middleware does not see. */
  async notify(
    method: string,
    given: JsonObject | undefined,
    {
      signal,
      enclose,
    }: { signal?: AbortSignal | undefined; enclose?: (params: JsonObject) => JsonObject } = {},
  ): Promise<void> {
    const { middleware } = this.#options;
    const hasLayers = middleware.layers.length > 0;
    const params = hasLayers ? middleware.passNotification('send', { method, params: given ?? {} }) : given;
    if (hasLayers && !params) return;
    if (params && params !== given) await middleware.check(method, params);
    const text = notificationText(method, enclose ? enclose(params ?? {}) : params);
    return this.#post(method, text, this.#options.headers(method, params ?? {}), signal);
  }

  /** Sends the answer to a request of the server, with the headers of the session that the request came in. */
  answer(method: string, text: string, headers: Headers): Promise<void> {
    return this.#post(`the answer to ${method}`, text, headers);
  }

  /** Handles a progress notification. One for an unknown request is ignored. */
  progressed(params: JsonObject): void {
    const { progressToken, progress, total, message } = params;
    const tell = this.#progress.get(progressToken as RequestId);
    if (!tell || typeof progress !== 'number') return;
    tell({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  /** Ids are also the progress tokens of the client, so those that an author uses are left out. */
  #nextId(): RequestId {
    do lastId++;
    while (this.#progress.has(lastId));
    return lastId;
  }

  /** The progress token of a request. Throws if a running request has the same. */
  #readToken({ _meta }: JsonObject): RequestId | undefined {
    const token = isObject(_meta) ? readProgressToken(_meta) : undefined;
    if (token === undefined || !this.#progress.has(token)) return token;
    throw new UsageError(`a running request has the progress token ${quoteBriefly(token)} already`);
  }

  async #post(
    what: string,
    text: string,
    headers: Headers,
    signal?: AbortSignal,
    isUnattended = false,
  ): Promise<void> {
    const { timeoutMs, maxTimeoutMs } = this.#options.limits;
    const wait = new Wait(what, timeoutMs, new Deadline(maxTimeoutMs));
    wait.isUnattended = isUnattended;
    try {
      await wait.for(this.#wire.post(text, headers, wait), signal, () => {});
    } catch (error) {
      this.#options.onPostFailed?.(error, headers);
      throw error;
    }
  }

  #cancel(requestId: RequestId, reason: string, headers: Headers): void {
    if (this.#options.disconnectCancels) return;
    const method = 'notifications/cancelled';
    const text = notificationText(method, { requestId, reason });
    this.#post(method, text, headers, undefined, true).catch(() => {
      // The connection is broken, so the server cannot be told.
    });
  }
}

/** Parameters that ask for progress under a token. */
export function withProgressToken(params: JsonObject, token: RequestId): JsonObject {
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

function readResult({ outcome }: Response): JsonObject {
  if ('result' in outcome) return outcome.result;
  const { code, message, data } = outcome.error;
  throw new McpError(code, message, data);
}
