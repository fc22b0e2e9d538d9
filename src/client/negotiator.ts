import { throwIfAborted } from '../base/abort.js';
import { isObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { type Notification, type Request, resultText } from '../jsonrpc/message.js';
import { MAX_VERSIONS } from '../protocol/discovery.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { ConnectionError, isAboutRequest } from '../protocol/failures.js';
import { findRevision, REVISIONS, type Revision } from '../revisions/index.js';
import { adviceOn, CannotConnect, type ConnectAttempt, PROBE, responseOf } from './cannot-connect.js';
import type { LegacyLink } from './legacy/link.js';
import { MAX_QUESTIONS, type TimeLimits } from './limits.js';
import type { Link, LinkHost, RequestOptions, ServerDescription } from './link.js';
import { ModernLink, type ProbeOptions } from './modern/link.js';
import type { ConnectStatus } from './status.js';
import type { OpenWire, Receive, Wire } from './wire.js';

/** Opens connections to a server. */
export interface Dialer {
  open: OpenWire;
  /** Opens the HTTP+SSE transport of the first revision; absent where there is none. */
  openSse?: OpenWire;
  /** Whether `open` can be called again when the connection was closed or has ended. */
  canReopen: boolean;
}

export interface NegotiatorOptions {
  /** The revisions that are accepted, newest first. */
  allowed: readonly Revision[];
  /** Milliseconds to wait for a response to the probe. */
  probeTimeoutMs: number;
  /** Milliseconds to wait for the first message of a program. */
  startTimeoutMs: number;
  /** For each request without limits of its own. */
  limits: TimeLimits;
  signal?: AbortSignal | undefined;
  onStatus(status: ConnectStatus): void;
}

/** A link, and what is to be remembered of how it was opened. */
export interface Opened {
  link: Link;
  /** Whether the server has only the HTTP+SSE transport of the first revision. */
  isSse?: boolean | undefined;
  /** Why the revision may be wrong, if that is so: it rests on silence, or on an answer that need not be the server's. */
  doubt?: string | undefined;
}

/** Sends the first requests to a server, and keeps what came of them: the wire, the links and the attempts. */
export class Negotiator {
  readonly dialer: Dialer;
  readonly options: NegotiatorOptions;
  readonly attempts: ConnectAttempt[] = [];
  readonly #host: LinkHost;
  #wire: Wire | undefined;
  /** The link that gets the messages of the server. */
  #receiver: (Link & { receive: Receive; broke(reason: Error): void }) | undefined;
  /** Whether the server is known to need no handshake. */
  #isModern = false;
  /** How many early pings are being answered. */
  #pings = 0;
  #modern: ModernLink | undefined;
  #legacy: LegacyLink | undefined;
  /** The revision to ask for in the handshake, if it is known. */
  #named: Revision | undefined;

  constructor(dialer: Dialer, host: LinkHost, options: NegotiatorOptions) {
    this.dialer = dialer;
    this.#host = host;
    this.options = options;
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** Whether both a revision without a handshake and one with it are accepted, so that a probe can tell. */
  get mayProbe(): boolean {
    return new Set(this.options.allowed.map(({ era }) => era)).size > 1;
  }

  /** The connection, which is opened if there is none. */
  async open(open = this.dialer.open): Promise<Wire> {
    if (this.#wire) return this.#wire;
    this.options.onStatus({ kind: 'starting' });
    this.#wire = await open(
      (...received) => this.#receive(...received),
      reason => {
        this.#receiver?.broke(reason ?? new ConnectionError('the server closed the connection'));
        this.#host.lost(this.#receiver, reason);
      },
      this.signal,
    );
    return this.#wire;
  }

  /** As `open`, but a failure ends the negotiation. */
  async openOrFail(): Promise<Wire> {
    try {
      return await this.open();
    } catch (error) {
      throwIfAborted(this.signal);
      this.note('opening the connection', error);
      throw this.fail(adviceOn(error), error);
    }
  }

  /** Closes the connection, so that `open` opens another one. */
  async close(): Promise<void> {
    const wire = this.#wire;
    this.#wire = undefined;
    this.#legacy = undefined;
    await wire?.close().catch(() => {});
  }

  /**
   * Sends the probe. Resolves with whether the server and the client have a revision without a handshake in common.
   * Rejects with the server's error, or with `CannotConnect` if they have no revision in common.
   */
  async probe(options: ProbeOptions): Promise<boolean> {
    const link = this.#createModern(this.options.allowed[0] as Revision);
    // After a handshake, the server may ask questions that only the other link can answer.
    if (!this.#legacy) this.#receiver = link;
    let versions: readonly string[];
    try {
      versions = await link.discover(options);
    } catch (error) {
      const supported = error instanceof McpError && supportedVersions(error);
      if (!supported) throw error;
      this.note(PROBE, error);
      return this.#choose(supported);
    }
    this.attempts.push({ what: PROBE, outcome: `speaks ${listed(versions)}` });
    return this.#choose(versions);
  }

  /** Connects with the `initialize` handshake. */
  async initialize(options: RequestOptions): Promise<void> {
    const { limits, allowed } = this.options;
    const { LegacyLink } = await import('./on-demand.js');
    const link = new LegacyLink(this.#wire as Wire, this.#host, { limits, allowed, revision: this.#named });
    this.#legacy = link;
    this.#receiver = link;
    await link.open(options);
  }

  /** Sets the revision to ask for in the handshake. */
  askFor(revision: Revision | undefined): void {
    this.#named = revision;
  }

  /** The link of a server that is known to speak a revision. */
  trust(revision: Revision, server: ServerDescription | undefined): Link {
    this.#createModern(revision, server);
    return this.useModern();
  }

  /** The link without a handshake. From now on it gets the messages of the server. */
  useModern(): Link {
    this.#isModern = true;
    this.#receiver = this.#modern;
    return this.#modern as Link;
  }

  /** The link with a handshake. From now on it gets the messages of the server. */
  useLegacy(): Link {
    this.#receiver = this.#legacy;
    return this.#legacy as Link;
  }

  /** Ends the session of the handshake, and goes on without one. */
  async leaveLegacy(): Promise<Link> {
    const { revision, server } = this.#modern as ModernLink;
    await this.#legacy?.close();
    await this.close();
    await this.openOrFail();
    return this.trust(findRevision(revision) as Revision, server);
  }

  note(what: string, error: unknown): void {
    this.attempts.push({ what, outcome: messageOf(error).slice(0, MAX_OUTCOME) });
  }

  warn(message: string): void {
    this.#host.warn(message);
  }

  fail(advice: string, cause?: unknown): CannotConnect {
    return new CannotConnect(this.attempts, advice, cause);
  }

  /** The error for a server that refuses the revision that was asked for, or everything. */
  failFrom(error: unknown): CannotConnect {
    const { allowed } = this.options;
    const isNarrow = allowed.length < REVISIONS.length;
    const isRefused = isNarrow && (error === undefined || isAboutRevision(error));
    return this.fail(isRefused ? notSpoken(allowed) : adviceOn(error), error);
  }

  #receive(...[message, session, about]: Parameters<Receive>): void {
    const isUndecided = this.#receiver === this.#modern && !this.#isModern;
    // Servers of the handshake era may ping at any time, and only they do.
    if (isUndecided && message.kind === 'request' && message.method === 'ping')
      void this.#answerPing(message);
    else if (message.kind === 'notification') this.#notify(message, session);
    else this.#receiver?.receive(message, session, about);
  }

  #notify(message: Notification, session: string | undefined): void {
    try {
      // Middleware that drops or changes an acknowledgement would leave its stream waiting.
      const isOwn = message.method === 'notifications/subscriptions/acknowledged';
      const params = isOwn ? message.params : this.#host.middleware.passNotification('receive', message);
      if (params) this.#receiver?.receive({ ...message, params }, session);
    } catch (error) {
      this.#host.warn(`${message.method} could not be handled: ${messageOf(error)}`);
    }
  }

  async #answerPing({ id }: Request): Promise<void> {
    if (this.#pings >= MAX_QUESTIONS) return;
    this.#pings++;
    await this.#wire?.post(resultText(id, '{}')).response.catch(error => {
      this.#host.warn(`a ping could not be answered: ${messageOf(error)}`);
    });
    this.#pings--;
  }

  #createModern(revision: Revision, server?: ServerDescription): ModernLink {
    const { limits } = this.options;
    const part = () => import('./on-demand.js');
    this.#modern = new ModernLink(this.#wire as Wire, revision, this.#host, { limits, server, part });
    return this.#modern;
  }

  /** Chooses the newest revision that both sides speak. Returns whether it is one without a handshake. */
  #choose(versions: readonly string[]): boolean {
    const { allowed } = this.options;
    const common = allowed.find(({ name }) => versions.includes(name));
    if (!common) {
      const ours = allowed.map(({ name }) => name).join(', ');
      throw this.fail(
        `there is no revision that both sides speak: it has ${listed(versions)}, we have ${ours}`,
      );
    }
    if (common.era !== 'modern') {
      this.#named = common;
      return false;
    }
    const isReceiver = this.#receiver === this.#modern;
    if (common.name !== this.#modern?.revision) this.#createModern(common, this.#modern?.server);
    if (isReceiver) this.#receiver = this.#modern;
    return true;
  }
}

/** Error messages of servers may be long; a part is enough here. */
const MAX_OUTCOME = 1000;
function listed(versions: readonly string[]): string {
  return versions.slice(0, 20).join(', ').slice(0, MAX_OUTCOME) || 'nothing';
}

/** The versions that a modern server lists in its error for an unsupported version. */
function supportedVersions({ code, data }: McpError): string[] | undefined {
  if (code !== ERROR.unsupportedVersion || !isObject(data) || !Array.isArray(data.supported))
    return undefined;
  return data.supported.slice(0, MAX_VERSIONS).filter(version => typeof version === 'string');
}

/** Whether a refusal can be about the revision: not what a firewall, a wrong path or a foreign host gets. */
function isAboutRevision(error: unknown): boolean {
  const response = responseOf(error);
  if (!(error instanceof McpError))
    return response !== undefined && response.status !== 404 && isAboutRequest(response.status);
  return response === undefined || isAboutRequest(response.status);
}

function notSpoken(allowed: readonly Revision[]): string {
  return `it does not speak revision ${allowed.map(({ name }) => name).join(' or ')}, which was asked for`;
}
