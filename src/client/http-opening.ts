import { onAbort, throwIfAborted } from '../base/abort.js';
import { Cancelled } from '../base/errors.js';
import { ERROR, McpError } from '../protocol/errors.js';
import {
  ConnectionError,
  HttpError,
  InvalidAnswer,
  isAboutRequest,
  RequestTimeout,
} from '../protocol/failures.js';
import { AccessError } from './auth/errors.js';
import { adviceOn, adviceOnSilence, CannotConnect, PROBE } from './cannot-connect.js';
import type { ProbeOptions } from './modern/link.js';
import type { Negotiator, Opened } from './negotiator.js';
import type { OpenWire } from './wire.js';

/** Opens a link over HTTP, in the way that a plan says. */
export async function openOverHttp(
  negotiator: Negotiator,
  openSse: OpenWire,
  plan: 'find out' | 'probe only' | 'greet' | 'greet over SSE',
): Promise<Opened> {
  const opening = new HttpOpening(negotiator, openSse);
  switch (plan) {
    case 'find out':
      return opening.findOut();
    case 'probe only':
      return opening.probeOnly();
    case 'greet':
      await negotiator.openOrFail();
      negotiator.options.onStatus({ kind: 'initializing' });
      return opening.greet();
    case 'greet over SSE':
      return opening.greetOverSse();
  }
}

type ProbeOutcome = 'answered' | 'refused' | 'silent' | 'doubtful';

class HttpOpening {
  readonly #negotiator: Negotiator;
  readonly #openSse: OpenWire;
  #probes = 0;
  /** The failure of the last probe. */
  #failure: unknown;
  /** The failure of a probe that says nothing about the revision. */
  #doubt: unknown;
  /** Gives up a probe that is still open. */
  #stopProbing = () => {};

  constructor(negotiator: Negotiator, openSse: OpenWire) {
    this.#negotiator = negotiator;
    this.#openSse = openSse;
  }

  /** Probes the server, and falls back to the handshake. */
  async findOut(): Promise<Opened> {
    const { onStatus } = this.#negotiator.options;
    const { probe, silence } = this.#probeWhileGreeting();
    const outcome = await Promise.race([probe, silence]);
    if (outcome === 'answered') return { link: this.#negotiator.useModern() };
    const reason = this.#negotiator.attempts.at(-1)?.outcome as string;
    onStatus({ kind: 'falling-back', to: 'initialize', reason });
    if (outcome === 'silent') return this.#greetInDoubt(probe, reason);
    const opened = await this.greet();
    return outcome === 'refused' || !this.#isLegacy(opened) ? opened : { ...opened, doubt: reason };
  }

  /** Accepts nothing else than a revision without a handshake. */
  async probeOnly(): Promise<Opened> {
    const { timeoutMs } = this.#negotiator.options.limits;
    const outcome = await this.#probe({
      timeoutMs,
      maxTimeoutMs: timeoutMs,
      signal: this.#negotiator.signal,
    });
    if (outcome === 'answered') return { link: this.#negotiator.useModern() };
    throw this.#negotiator.failFrom(this.#failure);
  }

  /** Connects with the handshake. A server that refuses it may have another transport, or newer revisions only. */
  async greet(): Promise<Opened> {
    await this.#negotiator.openOrFail();
    try {
      await this.#negotiator.initialize({ signal: this.#negotiator.signal }).finally(this.#stopProbing);
      return { link: this.#negotiator.useLegacy() };
    } catch (error) {
      this.#rethrow(error);
      this.#negotiator.note('initialize', error);
      if (this.#isWorthAProbe(error)) return this.findOut();
      if (!isOldTransport(error))
        throw this.#negotiator.failFrom(isNewer(error) ? (this.#doubt ?? error) : error);
      const reason = this.#negotiator.attempts.at(-1)?.outcome as string;
      this.#negotiator.options.onStatus({ kind: 'falling-back', to: 'HTTP+SSE', reason });
      return this.greetOverSse();
    }
  }

  async greetOverSse(): Promise<Opened> {
    await this.#negotiator.close();
    try {
      await this.#negotiator.open(this.#openSse);
      await this.#negotiator.initialize({ signal: this.#negotiator.signal });
      return { link: this.#negotiator.useLegacy(), isSse: true };
    } catch (error) {
      this.#rethrow(error);
      this.#negotiator.note('HTTP+SSE', error);
      await this.#negotiator.close();
      if (this.#isWorthAProbe(error)) return this.findOut();
      const advice =
        'it answered none of the ways to open a connection; is this the address of an MCP server?';
      throw this.#negotiator.fail(advice, error);
    }
  }

  /** Sends the probe. Throws what shows nothing about the revision: refused access, and trouble of the network. */
  async #probe(options: ProbeOptions): Promise<ProbeOutcome> {
    this.#probes++;
    await this.#negotiator.openOrFail();
    this.#negotiator.options.onStatus({ kind: 'probing' });
    try {
      return (await this.#negotiator.probe(options)) ? 'answered' : 'refused';
    } catch (error) {
      this.#rethrow(error);
      if (options.signal?.aborted) return 'silent';
      this.#negotiator.note(PROBE, error);
      this.#failure = error;
      if (error instanceof McpError) return isModernError(error) ? 'answered' : 'refused';
      if (error instanceof RequestTimeout) return 'silent';
      // Firewalls refuse what they do not know, and some servers fail on it.
      if (error instanceof InvalidAnswer || (error instanceof HttpError && DISLIKES.has(error.status))) {
        this.#doubt = error;
        return 'doubtful';
      }
      if (error instanceof HttpError && isAboutRequest(error.status)) return 'refused';
      if (error instanceof HttpError) throw this.#negotiator.fail(adviceOn(error), error);
      if (error instanceof ConnectionError) throw this.#negotiator.fail(adviceOnSilence(error), error);
      return 'doubtful';
    }
  }

  /** Sends the probe, and tells when it is taking too long; it may still be answered while the client greets. */
  #probeWhileGreeting(): { probe: Promise<ProbeOutcome>; silence: Promise<'silent'> } {
    const { probeTimeoutMs: timeoutMs, limits } = this.#negotiator.options;
    const { signal } = this.#negotiator;
    const over = new AbortController();
    const ignoreSignal = signal && onAbort(signal, () => over.abort(signal.reason));
    this.#stopProbing = () => over.abort(new Cancelled('it is no longer needed'));
    let onLate: ((error: Error) => void) | undefined;
    const silence = new Promise<'silent'>(resolve => {
      onLate = error => {
        this.#negotiator.note(PROBE, error);
        resolve('silent');
      };
    });
    const maxTimeoutMs = timeoutMs + limits.timeoutMs;
    const probe = this.#probe({ timeoutMs, maxTimeoutMs, signal: over.signal, onLate });
    return { probe: probe.finally(ignoreSignal), silence };
  }

  /** Connects with the handshake, unless the probe is answered before the handshake is. */
  async #greetInDoubt(probe: Promise<ProbeOutcome>, doubt: string): Promise<Opened> {
    let outcome = 'silent' as ProbeOutcome;
    const greeting = this.greet();
    const late = probe.then(
      found => {
        outcome = found;
        return found === 'answered' ? undefined : greeting;
      },
      () => greeting,
    );
    const opened = await Promise.race([greeting, late]);
    if (opened) return outcome === 'refused' || !this.#isLegacy(opened) ? opened : { ...opened, doubt };
    greeting.catch(() => {
      // It fails because its connection is closed.
    });
    return { link: await this.#negotiator.leaveLegacy() };
  }

  #isLegacy({ link }: Opened): boolean {
    return link === this.#negotiator.useLegacy();
  }

  /** Whether a server that refused the handshake may still be modern: it was not probed yet, or its error says so. */
  #isWorthAProbe(error: unknown): boolean {
    if (!this.#negotiator.mayProbe) return false;
    if (error instanceof McpError) return this.#probes < (error.code === ERROR.unsupportedVersion ? 2 : 1);
    return this.#probes === 0 && error instanceof HttpError && isAboutRequest(error.status);
  }

  /** Throws an error that no other attempt can mend. */
  #rethrow(error: unknown): void {
    throwIfAborted(this.#negotiator.signal);
    if (error instanceof AccessError || error instanceof CannotConnect) throw error;
  }
}

/** The statuses with which firewalls and servers refuse requests that they do not know, besides those about requests. */
const DISLIKES: ReadonlySet<number> = new Set([403, 500, 501]);

/** Error codes that only modern servers use. */
export function isModernError({ code }: McpError): boolean {
  return code === ERROR.headerMismatch || code === ERROR.missingCapability;
}

/** Whether a refused handshake may come from a server without handshakes, so that the failed probe is the cause. */
function isNewer(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  return error.code === ERROR.methodNotFound || error.code === ERROR.unsupportedVersion;
}

/** Whether a refused handshake may come from a server that has only HTTP+SSE. */
function isOldTransport(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 405, 406, 415, 501].includes(error.status);
}
