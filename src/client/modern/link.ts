import { clip } from '../../base/clip.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import type { Malformed, Request, RequestId } from '../../jsonrpc/message.js';
import { targetOf } from '../../protocol/call.js';
import { readChange } from '../../protocol/changes.js';
import { readDiscoverResult } from '../../protocol/discovery.js';
import { ConnectionError, InvalidAnswer, NotSupported } from '../../protocol/failures.js';
import { encodeHeaderValue, HEADER } from '../../protocol/headers.js';
import { fromInputRequests, type InputRequest } from '../../protocol/input.js';
import { isInputRequired } from '../../protocol/input-required.js';
import type { LogLevel } from '../../protocol/logging.js';
import { META } from '../../protocol/meta.js';
import type { SubscriptionFilter } from '../../protocol/subscription-filter.js';
import { Agreement } from '../../revisions/agreement.js';
import { encodeClientCapabilities } from '../../revisions/encode-declared.js';
import type { Revision } from '../../revisions/index.js';
import type { TimeLimits } from '../limits.js';
import type { ChangeListener, Link, LinkHost, RequestOptions, ServerDescription } from '../link.js';
import { checkQuestion } from '../permission.js';
import { Requests } from '../requests.js';
import type { checkSending, whyNotSend } from '../sending.js';
import type { Headers, Incoming, Wire } from '../wire.js';
import type { listenToServer } from './listen.js';
import type { Subscription } from './subscription.js';

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The part of the era that is loaded on demand: most clients listen to no changes. */
export interface ModernPart {
  listenToServer: typeof listenToServer;
  checkSending: typeof checkSending;
  whyNotSend: typeof whyNotSend;
}

/** Options of a probe. */
export interface ProbeOptions extends RequestOptions {
  /** Reports that `timeoutMs` has passed; the answer may still come, until `maxTimeoutMs` has. */
  onLate?: ((error: Error) => void) | undefined;
}

/** A link to a modern server: every request carries its metadata in an envelope. */
export class ModernLink implements Link {
  server: ServerDescription;
  isBroken = false;
  readonly #host: LinkHost;
  readonly #wire: Wire;
  readonly #requests: Requests;
  readonly #envelope: JsonObject;
  readonly #timeoutMs: number;
  readonly #part: () => Promise<ModernPart>;
  readonly #subscriptions = new Map<RequestId, Subscription>();
  #agreement: Agreement;
  #logLevel: LogLevel | undefined;
  #hasWarned = false;

  constructor(
    wire: Wire,
    revision: Revision,
    host: LinkHost,
    options: { limits: TimeLimits; server?: ServerDescription | undefined; part: () => Promise<ModernPart> },
  ) {
    this.#part = options.part;
    this.#timeoutMs = options.limits.timeoutMs;
    this.#host = host;
    this.#wire = wire;
    this.#logLevel = host.logLevel;
    this.server = options.server ?? { info: undefined, capabilities: {}, instructions: undefined };
    const capabilities = encodeClientCapabilities(revision, host.capabilities);
    this.#agreement = new Agreement(revision, capabilities, options.server?.capabilities, host.claims);
    this.#envelope = {
      [META.protocolVersion]: revision.name,
      ...(host.sendsInfo && { [META.clientInfo]: host.info }),
      [META.clientCapabilities]: capabilities,
    };
    this.#requests = new Requests(wire, {
      limits: options.limits,
      disconnectCancels: wire.disconnectCancels,
      resumesStreams: false,
      headers: (method, params) => this.#headers(method, params),
      middleware: host.middleware,
      onHold: until => host.opening.hold(until),
    });
  }

  /** A server that is not described yet may have tools. */
  get mirrorsParameters(): boolean {
    return this.#wire.hasHeaders && this.#agreement.has('server.tools');
  }

  get revision(): string {
    return this.#agreement.revision.name;
  }

  /** Sends `server/discover`. Returns the versions that the server supports. */
  async discover(options: ProbeOptions): Promise<readonly string[]> {
    // A legacy server does not know this request, so it is not sent a cancellation either.
    const limits = { ...options, cannotBeCancelled: true };
    const result = await this.#requests.send('server/discover', {}, limits, own => this.#enclose(own));
    const { resultType = 'complete' } = result;
    const discovery = resultType === 'complete' ? readDiscoverResult(result) : undefined;
    if (!discovery) throw new InvalidAnswer('the answer to server/discover does not describe a server');
    const { serverInfo: info } = discovery;
    if (info?.icons) (await import('../results.js')).removeUnsafeIcons(info, this.#host.warn);
    this.server = {
      info,
      capabilities: discovery.capabilities,
      instructions: discovery.instructions,
    };
    const { revision, client } = this.#agreement;
    this.#agreement = new Agreement(revision, client, discovery.capabilities, this.#host.claims);
    return discovery.supportedVersions;
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (!this.#isPlain(method, params)) await this.#checkAgain(method, params, options);
    const result = await this.#requests.send(method, params, options, (own, id) =>
      this.#enclose(own, options.onProgress ? id : undefined),
    );
    this.#checkResultType(result);
    return isInputRequired(result) ? this.#checkQuestions(method, result) : result;
  }

  allow(question: InputRequest): InputRequest {
    return checkQuestion(this.#agreement, question);
  }

  isExpected({ resultType }: JsonObject): boolean {
    return resultType !== undefined;
  }

  async notify(method: string, params: JsonObject = {}): Promise<void> {
    if (!this.#isPlain(method, params)) (await this.#part()).checkSending(this.#agreement, method, params);
    await this.#requests.notify(method, params, { enclose: own => this.#enclose(own) });
  }

  /** Each request carries the log level, so nothing is sent here. */
  async setLogLevel(level: LogLevel): Promise<void> {
    if (!this.#agreement.has('server.logging')) {
      throw new NotSupported(
        'a log level needs the server capability "logging", which this server did not declare',
        'logging',
      );
    }
    this.#logLevel = level;
  }

  async ping(options: RequestOptions): Promise<void> {
    // The revision has no ping, but every server responds to `server/discover`.
    await this.request('server/discover', {}, options);
  }

  async listen(filter: SubscriptionFilter, listener: ChangeListener, signal: AbortSignal): Promise<void> {
    const { listenToServer } = await this.#part();
    const [link, requests] = [this, this.#requests];
    const listening = {
      timeoutMs: this.#timeoutMs,
      get agreement() {
        return link.#agreement;
      },
      requests,
      subscriptions: this.#subscriptions,
      discover: (options: RequestOptions) => this.discover(options),
      enclose: (params: JsonObject) => this.#enclose(params),
    };
    await listenToServer(listening, filter, listener, signal);
  }

  /** The answers to questions of a round contain the roots, so the server needs no notification. */
  async rootsChanged(): Promise<void> {}

  /** Handles a notification. */
  receive(message: Incoming): void {
    if (message.kind !== 'notification') return this.#ignore(message);
    const { method, params } = message;
    if (method === 'notifications/progress') return this.#requests.progressed(params);
    if (method === 'notifications/cancelled')
      return this.#subscriptions.get(params.requestId as RequestId)?.cancelled();
    const meta = isObject(params._meta) ? params._meta : {};
    this.#subscriptions.get(meta[META.subscriptionId] as RequestId)?.receive(message);
    const change = readChange(method, params);
    if (change) this.#host.changed(change);
    else if (method !== ACKNOWLEDGED) this.#host.notified(method, params);
  }

  /** The connection broke for good. */
  broke(): void {
    this.isBroken = true;
  }

  close(reason?: Error): Promise<void> {
    this.isBroken = true;
    this.#requests.close(reason ?? new ConnectionError('the client was closed'));
    return this.#wire.close(reason);
  }

  /** Servers of this era must not send requests, and clients must not respond to them. */
  #ignore(message: Request | Malformed): void {
    if (this.#hasWarned || message.kind === 'malformed') return;
    this.#hasWarned = true;
    this.#host.warn(
      `the server sent the request ${clip(message.method)}, which this revision does not allow`,
    );
  }

  /** Whether a message may be sent without a closer look, for which more code is needed. */
  #isPlain(method: string, params: JsonObject): boolean {
    const isOfTasks = params.task !== undefined || /^(notifications\/)?tasks\//.test(method);
    return !isOfTasks && this.#agreement.maySend('client', method, params);
  }

  /** A server may have gained capabilities since it was asked, so it is asked again before a request is refused. */
  async #checkAgain(
    method: string,
    params: JsonObject,
    { signal, timeoutMs }: RequestOptions,
  ): Promise<void> {
    const { checkSending, whyNotSend } = await this.#part();
    const missing = whyNotSend(this.#agreement, method, params)?.missing;
    if (missing?.side === 'server') await this.discover({ signal, timeoutMs });
    checkSending(this.#agreement, method, params);
  }

  /** Results name their type. A result of a type that neither the revision nor an extension has must not be used. */
  #checkResultType({ resultType }: JsonObject): void {
    if (resultType === undefined || resultType === 'complete' || resultType === 'input_required') return;
    const claim = this.#host.claims?.resultTypes.get(resultType as string);
    if (claim ? !this.#agreement.missingFor(claim) : this.#host.resultTypes.has(resultType as string)) return;
    throw new InvalidAnswer(`the result is of an unknown type: ${quoteBriefly(resultType)}`);
  }

  /** The result with its questions as the client may answer them. */
  #checkQuestions(method: string, result: JsonObject): JsonObject {
    const questions = fromInputRequests(result.inputRequests);
    const changed = questions.flatMap(({ id, ...asked }): [string, InputRequest][] => {
      try {
        const question = this.allow(asked as InputRequest);
        return question === asked ? [] : [[id, question]];
      } catch (error) {
        throw new InvalidAnswer(`the result of ${method} asks what it must not ask: ${messageOf(error)}`);
      }
    });
    if (changed.length === 0) return result;
    const inputRequests = { ...(result.inputRequests as object), ...Object.fromEntries(changed) };
    return { ...result, inputRequests };
  }

  #enclose(params: JsonObject, progressToken?: RequestId): JsonObject {
    const own = isObject(params._meta) ? params._meta : {};
    const _meta: JsonObject = { ...own, ...this.#envelope };
    if (
      this.#logLevel !== undefined &&
      own[META.logLevel] === undefined &&
      this.#agreement.has('server.logging')
    )
      _meta[META.logLevel] = this.#logLevel;
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
