import { throwIfAborted } from '../base/abort.js';
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
import type { RequestOptions } from './link.js';
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

class HttpOpening {
  readonly #negotiator: Negotiator;
  readonly #openSse: OpenWire;
  #probes = 0;

  constructor(negotiator: Negotiator, openSse: OpenWire) {
    this.#negotiator = negotiator;
    this.#openSse = openSse;
  }

  /** Probes the server, and falls back to the handshake. */
  async findOut(): Promise<Opened> {
    const { probeTimeoutMs, onStatus } = this.#negotiator.options;
    const outcome = await this.#probe(probeTimeoutMs);
    if (outcome === 'answered') return { link: this.#negotiator.useModern() };
    const reason = this.#negotiator.attempts.at(-1)?.outcome as string;
    onStatus({ kind: 'falling-back', to: 'initialize', reason });
    const opened = await this.greet();
    if (outcome === 'refused' || opened.link !== this.#negotiator.useLegacy()) return opened;
    if (outcome === 'silent') return this.#lookAgain(opened);
    return { ...opened, doubt: reason };
  }

  /** Accepts nothing else than a revision without a handshake. */
  async probeOnly(): Promise<Opened> {
    const outcome = await this.#probe(this.#negotiator.options.limits.timeoutMs);
    if (outcome === 'answered') return { link: this.#negotiator.useModern() };
    throw this.#negotiator.failFrom(undefined);
  }

  /** Connects with the handshake. A server that refuses it may have another transport, or newer revisions only. */
  async greet(): Promise<Opened> {
    await this.#negotiator.openOrFail();
    try {
      await this.#negotiator.initialize({ signal: this.#negotiator.signal });
      return { link: this.#negotiator.useLegacy() };
    } catch (error) {
      this.#rethrow(error);
      this.#negotiator.note('initialize', error);
      if (this.#isWorthAProbe(error)) return this.findOut();
      if (!isOldTransport(error)) throw this.#negotiator.failFrom(error);
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
  async #probe(limitMs: number): Promise<'answered' | 'refused' | 'silent' | 'doubtful'> {
    this.#probes++;
    await this.#negotiator.openOrFail();
    this.#negotiator.options.onStatus({ kind: 'probing' });
    try {
      return (await this.#negotiator.probe(this.#limits(limitMs))) ? 'answered' : 'refused';
    } catch (error) {
      this.#rethrow(error);
      this.#negotiator.note(PROBE, error);
      if (error instanceof McpError) return isModernError(error) ? 'answered' : 'refused';
      if (error instanceof RequestTimeout) return 'silent';
      // Firewalls refuse what they do not know, and some servers fail on it.
      if (error instanceof InvalidAnswer || (error instanceof HttpError && DISLIKES.has(error.status)))
        return 'doubtful';
      if (error instanceof HttpError && isAboutRequest(error.status)) return 'refused';
      if (error instanceof HttpError) throw this.#negotiator.fail(adviceOn(error), error);
      if (error instanceof ConnectionError) throw this.#negotiator.fail(adviceOnSilence(error), error);
      return 'doubtful';
    }
  }

  /** Probes a server again that was silent at first and has woken up. */
  async #lookAgain(opened: Opened): Promise<Opened> {
    const { probeTimeoutMs } = this.#negotiator.options;
    try {
      if (!(await this.#negotiator.probe(this.#limits(probeTimeoutMs)))) return opened;
    } catch (error) {
      this.#rethrow(error);
      this.#negotiator.note(PROBE, error);
      if (error instanceof McpError && !isModernError(error)) return opened;
      if (error instanceof HttpError && isAboutRequest(error.status)) return opened;
      if (!(error instanceof McpError)) return { ...opened, doubt: `it did not answer ${PROBE}` };
    }
    return { link: await this.#negotiator.leaveLegacy() };
  }

  /** Whether a server that refused the handshake may still be modern: it was not probed yet, or its error says so. */
  #isWorthAProbe(error: unknown): boolean {
    if (this.#negotiator.options.pinned) return false;
    if (error instanceof McpError) return this.#probes < (error.code === ERROR.unsupportedVersion ? 2 : 1);
    return this.#probes === 0 && error instanceof HttpError && isAboutRequest(error.status);
  }

  #limits(limitMs: number): RequestOptions {
    return { timeoutMs: limitMs, maxTimeoutMs: limitMs, signal: this.#negotiator.signal };
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

/** Whether a refused handshake may come from a server that has only HTTP+SSE. */
function isOldTransport(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 405, 406, 415, 501].includes(error.status);
}
