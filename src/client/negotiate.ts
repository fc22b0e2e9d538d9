import { throwIfAborted } from '../base/abort.js';
import { isObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { ERROR, McpError } from '../protocol/errors.js';
import {
  AccessUnreachable,
  ConnectionError,
  HttpError,
  isAboutRequest,
  RequestTimeout,
} from '../protocol/failures.js';
import { findRevision, MODERN, REVISIONS, type Revision } from '../revisions/index.js';
import { AccessError } from './auth/errors.js';
import { LegacyLink } from './legacy/link.js';
import type { TimeLimits } from './limits.js';
import type { Link, LinkHost, ServerDescription } from './link.js';
import { ModernLink } from './modern/link.js';
import type { Incoming, OpenWire, Wire } from './wire.js';

/** The outcome of a negotiation. It is JSON: store it, and the next connection starts without a probe. */
export interface Negotiated {
  /** The revision in use. */
  revision: string;
  /** Whether the server has only the HTTP+SSE transport of the first revision. */
  sse?: boolean | undefined;
  server?: ServerDescription | undefined;
}

/** Opens connections to a server. */
export interface Dialer {
  open: OpenWire;
  /** Opens the HTTP+SSE transport of the first revision; absent where there is none. */
  openSse?: OpenWire;
}

export interface NegotiateOptions {
  /** If set, the only revision that is accepted. */
  pinned?: Revision | undefined;
  negotiated?: Negotiated | undefined;
  /** Milliseconds to wait for a response to the probe. */
  probeTimeoutMs: number;
  /** For each request without limits of its own. */
  limits: TimeLimits;
  signal?: AbortSignal | undefined;
}

/** One attempt to reach a server, and its outcome. */
export interface ConnectAttempt {
  what: string;
  outcome: string;
}

/**
 * The client found no way to communicate with a server. The message begins with advice; `attempts` lists what was tried
 * and with which outcome.
 *
 * @example
 * try {
 *   await connect('http://127.0.0.1:9/mcp');
 * } catch (error) {
 *   if (error instanceof CannotConnect) console.error(error.attempts.map(({ what }) => what).join(', '));
 * }
 */
export class CannotConnect extends ConnectionError {
  override readonly name = 'CannotConnect';
  override readonly kind = 'cannot-connect';
  readonly attempts: readonly ConnectAttempt[];

  constructor(attempts: readonly ConnectAttempt[], advice: string, cause?: unknown) {
    const tried = attempts.map(({ what, outcome }) => `  - ${what}: ${outcome}`).join('\n');
    super(`cannot connect to the server; ${advice}\n${tried}`, { cause, hadNoEffect: true });
    this.attempts = attempts;
  }
}

/** Finds out which revision a server speaks, and opens a link of that revision. */
export async function negotiate(
  dialer: Dialer,
  host: LinkHost,
  options: NegotiateOptions,
): Promise<{ link: Link; negotiated: Negotiated }> {
  const negotiation = new Negotiation(dialer, host, options);
  try {
    const link = await negotiation.run();
    return { link, negotiated: negotiation.outcomeOf(link) };
  } catch (error) {
    await negotiation.closeWire();
    throw error;
  }
}

const PROBE = 'server/discover';

/** What a probe shows about the era of a server. */
type Evidence =
  | { era: 'modern' | 'legacy'; revision: Revision }
  /** The server is not modern; its revision is unknown. */
  | { era: 'legacy'; revision?: undefined }
  /** The connection ended, possibly because of the probe. */
  | { era: 'unknown' };

class Negotiation {
  readonly #dialer: Dialer;
  readonly #host: LinkHost;
  readonly #options: NegotiateOptions;
  readonly #attempts: ConnectAttempt[] = [];
  #wire: Wire | undefined;
  #link: (Link & { receive(message: Incoming): void; broke(reason: Error): void }) | undefined;
  #isSse = false;

  constructor(dialer: Dialer, host: LinkHost, options: NegotiateOptions) {
    this.#dialer = dialer;
    this.#host = host;
    this.#options = options;
  }

  async run(): Promise<Link> {
    const { pinned, negotiated } = this.#options;
    const known = pinned ?? (negotiated && findRevision(negotiated.revision));
    if (!known) return this.#probe();
    if (known.era === 'modern') return pinned ? this.#pinnedModern(pinned) : this.#trust(known);
    if (negotiated?.sse && this.#dialer.openSse) return this.#overSse(this.#dialer.openSse, known);
    return this.#handshake(known);
  }

  outcomeOf(link: Link): Negotiated {
    return { revision: link.revision, server: link.server, ...(this.#isSse && { sse: true }) };
  }

  async closeWire(): Promise<void> {
    await this.#wire?.close().catch(() => {});
    this.#wire = undefined;
  }

  /** Sends a modern request, and concludes from the response which era the server belongs to. */
  async #probe(): Promise<Link> {
    const evidence = await this.#discover(MODERN[0] as Revision);
    switch (evidence.era) {
      case 'modern':
        return this.#link as Link;
      case 'legacy':
        return this.#handshake(evidence.revision);
      case 'unknown':
        // The server may have crashed on an unknown method.
        await this.closeWire();
        return this.#handshake();
    }
  }

  async #pinnedModern(revision: Revision): Promise<Link> {
    const evidence = await this.#discover(revision);
    if (evidence.era === 'modern' && evidence.revision === revision) return this.#link as Link;
    throw this.#fail(notSpoken(revision));
  }

  /** Relies on the outcome of an earlier connection. */
  async #trust(revision: Revision): Promise<Link> {
    return this.#modernLink(await this.#open(), revision, this.#options.negotiated?.server);
  }

  async #discover(revision: Revision): Promise<Evidence> {
    const { probeTimeoutMs: timeoutMs, signal } = this.#options;
    const link = this.#modernLink(await this.#open(), revision);
    let versions: readonly string[];
    try {
      versions = await link.discover({ timeoutMs, maxTimeoutMs: timeoutMs, signal });
    } catch (error) {
      throwIfAborted(signal);
      this.#note(PROBE, error);
      return this.#judge(error, revision);
    }
    this.#attempts.push({ what: PROBE, outcome: `speaks ${listed(versions)}` });
    return this.#choose(versions, revision);
  }

  /** What a failed probe shows. Refused access and network trouble show nothing about the era. */
  async #judge(error: unknown, asked: Revision): Promise<Evidence> {
    if (error instanceof AccessError) throw error;
    if (error instanceof McpError) {
      const supported = supportedVersions(error);
      if (supported) return this.#choose(supported, asked);
      return isModernError(error) ? { era: 'modern', revision: asked } : { era: 'legacy' };
    }
    if (error instanceof HttpError && !isAboutRequest(error.status)) throw this.#fail(adviceOn(error), error);
    if (error instanceof HttpError || error instanceof RequestTimeout) return { era: 'legacy' };
    if (error instanceof ConnectionError) {
      if (this.#dialer.openSse) throw this.#fail(adviceOnSilence(error), error);
      return { era: 'unknown' };
    }
    return { era: 'legacy' };
  }

  /** The newest revision that both sides speak. */
  async #choose(versions: readonly string[], asked: Revision): Promise<Evidence> {
    const { pinned } = this.#options;
    const common = REVISIONS.find(({ name }) => versions.includes(name) && (!pinned || name === pinned.name));
    if (!common) {
      const ours = (pinned ? [pinned] : REVISIONS).map(({ name }) => name).join(', ');
      throw this.#fail(
        `there is no revision that both sides speak: it has ${listed(versions)}, we have ${ours}`,
      );
    }
    if (common.era === 'modern' && common !== asked)
      this.#modernLink(this.#wire as Wire, common, this.#link?.server);
    return { era: common.era, revision: common };
  }

  /** Connects with the `initialize` handshake. */
  async #handshake(revision?: Revision): Promise<Link> {
    const { signal, pinned } = this.#options;
    const { openSse } = this.#dialer;
    const wire = await this.#open();
    try {
      return await this.#initialize(wire, revision);
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof AccessError) throw error;
      this.#note('initialize', error);
      if (this.#isWorthAProbe(error)) return this.#probe();
      if (openSse && isOldTransport(error)) return this.#overSse(openSse, revision);
      const isRefused = pinned && error instanceof McpError;
      throw this.#fail(isRefused ? notSpoken(pinned) : adviceOn(error), error);
    }
  }

  async #overSse(open: OpenWire, revision?: Revision): Promise<Link> {
    await this.closeWire();
    const { signal } = this.#options;
    try {
      this.#wire = await this.#dial(open);
      const link = await this.#initialize(this.#wire, revision);
      this.#isSse = true;
      return link;
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof AccessError) throw error;
      this.#note('HTTP+SSE', error);
      await this.closeWire();
      if (this.#isWorthAProbe(error)) return this.#probe();
      const advice =
        'it answered none of the ways to open a connection; is this the address of an MCP server?';
      throw this.#fail(advice, error);
    }
  }

  async #initialize(wire: Wire, revision: Revision | undefined): Promise<Link> {
    const { signal, pinned } = this.#options;
    const link = this.#legacyLink(wire, revision);
    await link.open({ signal });
    if (!pinned || link.revision === pinned.name) return link;
    await link.close();
    throw new ConnectionError(
      `it answered with revision ${link.revision}, not with the ${pinned.name} asked for`,
    );
  }

  /** Whether a server that refused the handshake may still be modern: it was not probed yet, or its error says so. */
  #isWorthAProbe(error: unknown): boolean {
    if (this.#options.pinned) return false;
    const probes = this.#attempts.filter(({ what }) => what === PROBE).length;
    if (error instanceof McpError) return probes < (error.code === ERROR.unsupportedVersion ? 2 : 1);
    return probes === 0 && error instanceof HttpError && isAboutRequest(error.status);
  }

  async #open(): Promise<Wire> {
    if (this.#wire) return this.#wire;
    try {
      this.#wire = await this.#dial(this.#dialer.open);
    } catch (error) {
      throwIfAborted(this.#options.signal);
      this.#note('opening the connection', error);
      throw this.#fail(adviceOn(error), error);
    }
    return this.#wire;
  }

  #dial(open: OpenWire): Promise<Wire> {
    return open(
      message => this.#link?.receive(message),
      reason => {
        this.#link?.broke(reason ?? new ConnectionError('the server closed the connection'));
        this.#host.lost(this.#link, reason);
      },
      this.#options.signal,
    );
  }

  #modernLink(wire: Wire, revision: Revision, server?: ServerDescription): ModernLink {
    const link = new ModernLink(wire, revision, this.#host, { limits: this.#options.limits, server });
    this.#link = link;
    return link;
  }

  #legacyLink(wire: Wire, revision: Revision | undefined): LegacyLink {
    const link = new LegacyLink(wire, this.#host, { limits: this.#options.limits, revision });
    this.#link = link;
    return link;
  }

  #note(what: string, error: unknown): void {
    this.#attempts.push({ what, outcome: messageOf(error).slice(0, MAX_OUTCOME) });
  }

  #fail(advice: string, cause?: unknown): CannotConnect {
    return new CannotConnect(this.#attempts, advice, cause);
  }
}

/** Error messages of servers may be long; a part is enough here. */
const MAX_OUTCOME = 500;
/** More than there will ever be revisions. */
const MAX_VERSIONS = 1000;

function listed(versions: readonly string[]): string {
  return versions.slice(0, 20).join(', ').slice(0, MAX_OUTCOME) || 'nothing';
}

/** Error codes that only modern servers use. */
function isModernError({ code }: McpError): boolean {
  return code === ERROR.headerMismatch || code === ERROR.missingCapability;
}

/** The versions that a modern server lists in its error for an unsupported version. */
function supportedVersions({ code, data }: McpError): string[] | undefined {
  if (code !== ERROR.unsupportedVersion || !isObject(data) || !Array.isArray(data.supported))
    return undefined;
  return data.supported.slice(0, MAX_VERSIONS).filter(version => typeof version === 'string');
}

/** Whether a refused handshake may come from a server that has only HTTP+SSE. */
function isOldTransport(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 405, 406, 415, 501].includes(error.status);
}

function notSpoken({ name }: Revision): string {
  return `it does not speak revision ${name}, which was asked for`;
}

function adviceOnSilence(error: ConnectionError): string {
  if (error instanceof AccessUnreachable) return 'the authorization server that it names does not answer';
  return 'is it running, and is the address right?';
}

function adviceOn(error: unknown): string {
  if (error instanceof HttpError) {
    if (error.status === 401) return 'it requires authentication: pass `auth`, or the headers it asks for';
    if (error.status === 403)
      return 'it refuses access: check credentials, and whether it allows this origin';
    if (error.status >= 500) return 'it has trouble of its own; try again later';
    if (error.status === 404) return 'there is nothing at this address; check its path';
  }
  if (error instanceof AccessUnreachable) return adviceOnSilence(error);
  if (error instanceof RequestTimeout) return 'it did not answer in time';
  return 'see what was tried:';
}

/** What legacy servers respond to a request before `initialize`. The code is not specific to this error. */
const NOT_INITIALIZED = -32000;

/** Whether an error on a link may mean that its server no longer speaks the negotiated revision. */
export function contradictsNegotiated(error: unknown, { revision }: Link): boolean {
  if (error instanceof HttpError) return [400, 404, 405, 406, 415, 422].includes(error.status);
  if (!(error instanceof McpError)) return false;
  if (error.code === ERROR.unsupportedVersion) return true;
  return findRevision(revision)?.era === 'modern' ? error.code === NOT_INITIALIZED : isModernError(error);
}
