import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { errorText, type Request, type RequestId } from '../../jsonrpc/message.js';
import { targetOf } from '../../protocol/call.js';
import { type Change, readChange, type SubscriptionFilter } from '../../protocol/changes.js';
import { readDiscoverResult } from '../../protocol/discovery.js';
import { methodNotFound } from '../../protocol/errors.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import { encodeHeaderValue, HEADER } from '../../protocol/headers.js';
import type { LogLevel } from '../../protocol/logging.js';
import { META } from '../../protocol/meta.js';
import type { Revision } from '../../revisions/index.js';
import { LISTEN_TIMEOUT_MS, type TimeLimits } from '../limits.js';
import type { Link, LinkHost, RequestOptions, ServerDescription } from '../link.js';
import { Requests } from '../requests.js';
import type { Headers, Incoming, Wire } from '../wire.js';

/** How many forbidden requests of a server are answered; each answer costs a message. */
const MAX_REFUSALS = 100;

/** A link to a modern server: every request carries its metadata in an envelope. */
export class ModernLink implements Link {
  readonly revision: string;
  readonly mirrorsParameters = true;
  server: ServerDescription;
  readonly #host: LinkHost;
  readonly #wire: Wire;
  readonly #requests: Requests;
  readonly #envelope: JsonObject;
  readonly #listeners = new Map<RequestId, (message: Incoming) => void>();
  #logLevel: LogLevel | undefined;
  #refused = 0;

  constructor(
    wire: Wire,
    revision: Revision,
    host: LinkHost,
    options: { limits: TimeLimits; server?: ServerDescription | undefined },
  ) {
    this.revision = revision.name;
    this.#host = host;
    this.#wire = wire;
    this.#logLevel = host.logLevel;
    this.server = options.server ?? { info: undefined, capabilities: {}, instructions: undefined };
    this.#envelope = {
      [META.protocolVersion]: revision.name,
      [META.clientInfo]: host.info,
      [META.clientCapabilities]: host.capabilities,
    };
    this.#requests = new Requests(wire, {
      limits: options.limits,
      disconnectCancels: wire.disconnectCancels,
      resumesStreams: false,
      headers: (method, params) => this.#headers(method, params),
    });
  }

  /** Sends `server/discover`. Returns the versions that the server supports. */
  async discover(options: RequestOptions): Promise<readonly string[]> {
    // A legacy server does not know this request, so it is not sent a cancellation either.
    const limits = { ...options, cannotBeCancelled: true };
    const result = await this.#requests.send('server/discover', {}, limits, own =>
      this.#enclose(own, undefined),
    );
    const discovery = readDiscoverResult(result);
    if (!discovery) throw new InvalidAnswer('the answer to server/discover does not describe a server');
    this.server = {
      info: discovery.serverInfo,
      capabilities: discovery.capabilities,
      instructions: discovery.instructions,
    };
    return discovery.supportedVersions;
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const result = await this.#requests.send(method, params, options, (own, id) =>
      this.#enclose(own, options.onProgress ? id : undefined),
    );
    checkResultType(result);
    return result;
  }

  isExpected({ resultType }: JsonObject): boolean {
    return resultType !== undefined;
  }

  notify(method: string, params: JsonObject = {}): Promise<void> {
    return this.#requests.notify(method, this.#enclose(params, undefined));
  }

  /** Each request carries the log level, so nothing is sent here. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
  }

  async ping(options: RequestOptions): Promise<void> {
    // The revision has no ping, but every server responds to `server/discover`.
    await this.request('server/discover', {}, options);
  }

  async listen(
    filter: SubscriptionFilter,
    onChange: (change: Change) => void,
    onReady: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    let id: RequestId | undefined;
    const onMessage = (message: Incoming) => {
      if (message.method === 'notifications/subscriptions/acknowledged') return onReady();
      const change = readChange(message.method, message.params);
      if (change) onChange(change);
    };
    const enclose = (params: JsonObject, requestId: RequestId) => {
      id = requestId;
      this.#listeners.set(requestId, onMessage);
      return this.#enclose(params, undefined);
    };
    const limits = {
      signal,
      timeoutMs: LISTEN_TIMEOUT_MS,
      maxTimeoutMs: LISTEN_TIMEOUT_MS,
      isBackground: true,
    };
    try {
      await this.#requests.send('subscriptions/listen', { notifications: filter }, limits, enclose);
    } finally {
      if (id !== undefined) this.#listeners.delete(id);
    }
  }

  /** The answers to questions of a round contain the roots, so the server needs no notification. */
  async rootsChanged(): Promise<void> {}

  /** Handles a notification. Servers of this era cannot send requests, so requests are refused. */
  receive(message: Incoming): void {
    if (message.kind === 'request') return this.#refuse(message);
    if (message.method === 'notifications/progress') return this.#requests.progressed(message.params);
    const meta = isObject(message.params._meta) ? message.params._meta : {};
    const listener = this.#listeners.get(meta[META.subscriptionId] as RequestId);
    if (listener) listener(message);
    const change = readChange(message.method, message.params);
    if (change) this.#host.changed(change);
    else if (!listener) this.#host.notified(message.method, message.params);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  #refuse({ id, method }: Request): void {
    if (this.#refused++ === 0)
      this.#host.warn(`the server sent the request ${method}, which this revision does not allow`);
    if (this.#refused > MAX_REFUSALS) return;
    const { code, message } = methodNotFound(method);
    this.#requests.answer(method, errorText(id, { code, message })).catch(() => {
      // A failure does not matter: the request was not allowed.
    });
  }

  #enclose(params: JsonObject, progressToken: RequestId | undefined): JsonObject {
    const own = isObject(params._meta) ? params._meta : undefined;
    const _meta: JsonObject = { ...own, ...this.#envelope };
    if (this.#logLevel !== undefined) _meta[META.logLevel] = this.#logLevel;
    if (progressToken !== undefined) _meta.progressToken = progressToken;
    return { ...params, _meta };
  }

  #headers(method: string, params: JsonObject): Headers {
    const headers: Record<string, string> = {
      [HEADER.protocolVersion]: this.revision,
      [HEADER.method]: method,
    };
    const target = targetOf(method, params);
    if (target !== undefined) headers[HEADER.name] = encodeHeaderValue(target);
    return headers;
  }
}

/** Results name their type. A result of an unknown type must not be used. */
function checkResultType({ resultType }: JsonObject): void {
  if (resultType === undefined || resultType === 'complete' || resultType === 'input_required') return;
  throw new InvalidAnswer(`the result is of an unknown type: ${quoteBriefly(resultType)}`);
}
