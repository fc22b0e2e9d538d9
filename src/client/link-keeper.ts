import { onAbort } from '../base/abort.js';
import type { JsonObject } from '../base/json.js';
import { checkOptions } from '../base/options.js';
import type { Awaitable } from '../base/settle.js';
import { messageOf } from '../base/thrown.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import { McpError } from '../protocol/errors.js';
import { ConnectionError, isBroken } from '../protocol/failures.js';
import { chooseRevisions } from '../revisions/choose.js';
import type { HandlerContext } from './answer-options.js';
import { CALL_OPTIONS } from './call-options.js';
import { Deadline } from './deadline.js';
import { PROBE_TIMEOUT_MS, timeLimits } from './limits.js';
import type { Link, LinkHost, RequestOptions, SendOptions } from './link.js';
import { contradictsNegotiated, isStateless, type Negotiated, negotiate } from './negotiate.js';
import type { Dialer } from './negotiator.js';
import { OpeningWaits } from './opening-waits.js';
import type { ClientOptions } from './options.js';

/** How a server is reached. */
export interface Location {
  dialer: Dialer;
  /** Identifies the server in a cache. */
  name: string;
  /** The server's name for handlers and messages. */
  label: string;
  /** Whether the next request opens a lost connection again. If not set, it does if no state is lost with it. */
  reconnects: boolean | undefined;
  /** Identifies the credentials that the next request will carry; undefined if that cannot be told. */
  credentials?: (() => Awaitable<string | undefined>) | undefined;
}

/** The options of a request in a call that has a deadline. */
type TimedOptions = SendOptions & { deadline: Deadline };

const CERTAINTY_MS = 5000;

/** Requests without side effects. They may be repeated when it is unknown whether the server received them. */
const SAFE: ReadonlySet<string> = new Set([
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]);

/** Keeps a link to a server. Opens another one when the link breaks, or turns out to speak the wrong revision. */
export class LinkKeeper {
  readonly #location: Location;
  readonly #options: ClientOptions;
  readonly #context: HandlerContext;
  readonly #host: LinkHost;
  #negotiated: Negotiated | undefined;
  #link: Link | undefined;
  #lastLink: Link | undefined;
  #opening: Promise<Link> | undefined;
  #reconsidering: Promise<void> | undefined;
  readonly #waits = new OpeningWaits();
  /** How many requests are under way on each link. */
  readonly #running = new Map<Link, number>();
  /** Until when the result of the last negotiation is taken as certain. */
  #certainUntil = 0;
  #wasOpen = false;
  /** Whether the server has responded as expected; its errors are then about the requests, not about the revision. */
  #isTrusted = false;
  readonly #closing = new AbortController();

  constructor(
    location: Location,
    options: ClientOptions,
    context: HandlerContext,
    host: Omit<LinkHost, 'lost' | 'opening'>,
  ) {
    this.#location = location;
    this.#options = options;
    this.#context = context;
    this.#negotiated = options.negotiated;
    this.#host = { ...host, opening: this.#waits, lost: (link, reason) => this.#lost(link, reason) };
  }

  /** Aborts when the connection is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The link in use, or the one that was lost, until the next request opens another one. */
  get link(): Link {
    const link = this.#link ?? this.#lastLink;
    if (!link) throw new ConnectionError('the client is not connected');
    return link;
  }

  get negotiated(): Negotiated {
    if (!this.#negotiated) throw new ConnectionError('the client is not connected');
    return this.#negotiated;
  }

  open(): Promise<Link> {
    if (this.closing.aborted) return Promise.reject(this.closing.reason);
    if (this.#link) return Promise.resolve(this.#link);
    this.#opening ??= this.#negotiate(this.#negotiated).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The link for a call, which waits no longer than its limits allow. */
  ready(method: string, options: TimedOptions): Awaitable<Link> {
    return this.#link ?? this.#waits.for(this.open(), method, options);
  }

  /** Runs what sends requests of its own, with one deadline for all of it. */
  async use(
    method: string,
    options: RequestOptions,
    work: (link: Link, options: TimedOptions) => Promise<void>,
  ): Promise<void> {
    checkOptions(options, CALL_OPTIONS, 'a request');
    const limits = timeLimits(options, timeLimits(this.#options));
    const own = { ...options, deadline: new Deadline(limits.maxTimeoutMs) };
    await work(await this.ready(method, own), own);
  }

  async send(method: string, params: JsonObject, options: TimedOptions): Promise<JsonObject> {
    const link = await this.ready(method, options);
    try {
      const result = await this.#request(link, method, params, options);
      if (!this.#isTrusted && !link.isExpected(result))
        return this.#repeatUnexpected(link, method, params, options, result);
      this.#isTrusted = true;
      return result;
    } catch (error) {
      const another = await this.#waits.for(this.#another(link, method, error), method, options);
      if (!another) throw error;
      return this.#request(another, method, params, options);
    }
  }

  async close(): Promise<void> {
    if (this.closing.aborted) return;
    this.#closing.abort(new ConnectionError('the client was closed'));
    await this.#opening?.catch(() => {});
    const links = new Set(this.#running.keys());
    if (this.#link) links.add(this.#link);
    await Promise.all([...links].map(link => link.close()));
  }

  async #negotiate(negotiated: Negotiated | undefined): Promise<Link> {
    const { probeTimeoutMs = PROBE_TIMEOUT_MS, revision, revisions } = this.#options;
    const limits = timeLimits(this.#options);
    const giveUp = new AbortController();
    // The author's signal applies only to the first connection: it may have been a timeout.
    const signals = [this.closing, ...(!this.#wasOpen && this.#options.signal ? [this.#options.signal] : [])];
    const ignore = signals.map(signal => onAbort(signal, () => giveUp.abort(signal.reason)));
    const found = await negotiate(await this.#dialer(), this.#host, {
      probeTimeoutMs,
      startTimeoutMs: this.#options.startTimeoutMs ?? 2 * limits.timeoutMs,
      limits,
      signal: giveUp.signal,
      allowed: chooseRevisions(revision === undefined ? revisions : [revision]),
      negotiated,
      onStatus: status => this.#call('onStatus', () => this.#options.onStatus?.(status, this.#context)),
    }).finally(() => {
      for (const end of ignore) end();
    });
    if (this.closing.aborted) {
      await found.link.close();
      throw this.closing.reason;
    }
    this.#wasOpen = true;
    this.#isTrusted = !negotiated;
    this.#link = found.link;
    this.#lastLink = found.link;
    this.#negotiated = found.negotiated;
    this.#watchOver(found.link);
    return found.link;
  }

  async #dialer(): Promise<Dialer> {
    const { dialer } = this.#location;
    const { onMessage } = this.#options;
    if (!onMessage) return dialer;
    const { observe } = await import('./on-demand.js');
    return observe(dialer, traffic => this.#call('onMessage', () => onMessage(traffic, this.#context)));
  }

  /** Pings the server, if the author wants that. A server that is silent counts as lost. */
  #watchOver(link: Link): void {
    const { pingIntervalMs = 0 } = this.#options;
    if (!(pingIntervalMs > 0)) return;
    const onSilence = (reason: ConnectionError) => {
      this.#lost(link, reason);
      link.close(reason).catch(() => {
        // A failure to close does not matter: the link is lost.
      });
    };
    const warn = (message: string) => this.#host.warn(message);
    void import('./on-demand.js').then(({ pingPeriodically }) =>
      pingPeriodically(link, Math.min(pingIntervalMs, MAX_TIMER_MS), this.closing, onSilence, warn),
    );
  }

  /** The link to repeat a failed request on, if repeating may help and has no side effects. */
  async #another(link: Link, method: string, error: unknown): Promise<Link | undefined> {
    if (this.closing.aborted) return undefined;
    const isDoubtful = !this.#isTrusted && error instanceof McpError;
    if (isDoubtful || contradictsNegotiated(error, link)) return this.#reconsider(link);
    return isBroken(error) && SAFE.has(method) && this.#reconnects(link) ? this.open() : undefined;
  }

  /** Handles a result that does not fit the remembered era. The request is repeated only if it has no side effects. */
  async #repeatUnexpected(
    link: Link,
    method: string,
    params: JsonObject,
    options: TimedOptions,
    result: JsonObject,
  ): Promise<JsonObject> {
    const another = await this.#waits.for(this.#reconsider(link), method, options);
    return another && SAFE.has(method) ? this.#request(another, method, params, options) : result;
  }

  /** The server may have changed: negotiates again. Returns undefined if the revision is the same as before. */
  async #reconsider(link: Link): Promise<Link | undefined> {
    this.#isTrusted = true;
    if (this.#options.revision !== undefined) return undefined;
    if (this.#link === link) {
      this.#reconsidering ??= this.#replace(link).finally(() => {
        this.#reconsidering = undefined;
      });
      await this.#reconsidering;
    }
    return this.#link && this.#link.revision !== link.revision ? this.#link : undefined;
  }

  async #replace(link: Link): Promise<void> {
    if (Date.now() < this.#certainUntil) return;
    const found = await this.#negotiate(undefined).catch(() => undefined);
    // A server that refuses many requests is not probed each time.
    if (found?.revision === link.revision) this.#certainUntil = Date.now() + CERTAINTY_MS;
    if (found) this.#closeUnused(link);
  }

  async #request(link: Link, method: string, params: JsonObject, options: SendOptions): Promise<JsonObject> {
    this.#running.set(link, (this.#running.get(link) ?? 0) + 1);
    try {
      return await link.request(method, params, options);
    } finally {
      const left = (this.#running.get(link) as number) - 1;
      if (left > 0) this.#running.set(link, left);
      else this.#running.delete(link);
      this.#closeUnused(link);
    }
  }

  /** Closes a replaced link when its last request has ended. */
  #closeUnused(link: Link): void {
    if (!this.#link || this.#link === link || this.#running.has(link)) return;
    link.close().catch(() => {
      // A failure to close does not matter: the link has been replaced.
    });
  }

  /** Calls the author's handler. An error in it must not break the connection. */
  #call(name: 'onStatus' | 'onMessage', handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#host.warn(`${name} failed: ${messageOf(error)}`);
    }
  }

  #reconnects(link: Link): boolean {
    return this.#location.reconnects ?? isStateless(link);
  }

  #lost(link: Link | undefined, reason: Error | undefined): void {
    if (!link || link !== this.#link || this.closing.aborted) return;
    if (this.#reconnects(link)) this.#link = undefined;
    this.#options.onClose?.(reason, this.#context);
  }
}
