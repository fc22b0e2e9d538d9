import { onAbort } from '../base/abort.js';
import type { JsonObject } from '../base/json.js';
import type { Progress } from '../protocol/call.js';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/capabilities.js';
import type { Change, SubscriptionFilter } from '../protocol/changes.js';
import { RequestTimeout } from '../protocol/failures.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Headers, Sent } from './wire.js';

/** What a server says of itself. */
export interface ServerDescription {
  info: Implementation | undefined;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
}

/** How long to wait for an answer, and what to hear meanwhile. */
export interface RequestOptions {
  /** Milliseconds without an answer or progress after which the request fails. */
  timeoutMs?: number | undefined;
  /** Milliseconds after which it fails in any case. */
  maxTimeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Headers of this request, where the transport has some. */
  headers?: Headers | undefined;
}

/** A negotiated connection to one server. It speaks one era; whoever holds it does not know which. */
export interface Link {
  /** The dated revision that is spoken. */
  readonly revision: string;
  readonly server: ServerDescription;
  /** Whether requests carry headers that mirror their parameters. */
  readonly mirrorsParameters: boolean;
  /** Resolves with the result, whatever its kind. Rejects with `McpError` if the server says so. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Whether a result is one that servers of this era give. */
  isExpected(result: JsonObject): boolean;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Says from which level on the server is to send logs. */
  setLogLevel(level: LogLevel, options: RequestOptions): Promise<void>;
  ping(options: RequestOptions): Promise<void>;
  /** Tells `onChange` of changes until the signal aborts; resolves when the server ends it, rejects if it breaks. */
  listen(
    filter: SubscriptionFilter,
    onChange: (change: Change) => void,
    onReady: () => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Tells the server that the list of roots changed, where it can be told. */
  rootsChanged(): Promise<void>;
  close(): Promise<void>;
}

/** What a link needs to know of the client that holds it. */
export interface LinkHost {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  /** Whether anybody wants to know what the server says or asks by itself. */
  readonly isListening: boolean;
  /** Answers a question of the server. Throws `McpError` for what it does not answer. */
  answer(question: InputRequest, signal: AbortSignal): Promise<InputResponse>;
  /** A notification other than progress. */
  notified(method: string, params: JsonObject): void;
  changed(change: Change): void;
  /** Something that the author should know, though nothing failed. */
  warn(message: string): void;
  /** The connection broke for good, without being closed. */
  lost(link: Link | undefined, reason: Error | undefined): void;
}

/** How long a request may take. */
export interface Limits {
  timeoutMs: number;
  maxTimeoutMs: number;
  signal: AbortSignal | undefined;
  onProgress: ((progress: Progress) => void) | undefined;
}

/** Timers that are set to more go off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits for the answer to a request no longer than its limits allow. */
export class Wait<T> {
  readonly response: Promise<T>;
  readonly #what: string;
  readonly #sent: Sent<T>;
  readonly #limits: Limits;
  readonly #onGiveUp: (reason: string) => void;
  #deadline: number;
  #timer: ReturnType<typeof setTimeout>;
  #isOver = false;
  /** Whether the clock runs to the deadline, so that nothing starts it anew. */
  #isLast = false;
  #reject!: (reason: unknown) => void;
  #ignoreSignal: (() => void) | undefined;

  /** `onGiveUp` is called if the wait ends before the answer. */
  constructor(sent: Sent<T>, what: string, limits: Limits, onGiveUp: (reason: string) => void) {
    const { signal } = limits;
    this.#what = what;
    this.#sent = sent;
    this.#limits = limits;
    this.#onGiveUp = onGiveUp;
    this.#deadline = Date.now() + limits.maxTimeoutMs;
    this.#timer = this.#arm();
    this.response = new Promise((resolve, reject) => {
      this.#reject = reject;
      sent.response.then(
        response => {
          this.#stop();
          resolve(response);
        },
        error => {
          this.#stop();
          reject(error);
        },
      );
    });
    sent.onHold = until => void this.#hold(until);
    if (!signal) return;
    const abort = () => this.#giveUp(signal.reason, 'the request is no longer needed');
    this.#ignoreSignal = onAbort(signal, abort);
  }

  /** The server is at work: the clock starts anew, but not without end. */
  progressed(progress: Progress): void {
    if (!this.#isLast) {
      clearTimeout(this.#timer);
      this.#timer = this.#arm();
    }
    this.#limits.onProgress?.(progress);
  }

  /** Stops the clock meanwhile. */
  async #hold(until: Promise<unknown>): Promise<void> {
    const since = Date.now();
    clearTimeout(this.#timer);
    await until.catch(() => {});
    if (this.#isOver) return;
    this.#deadline += Date.now() - since;
    clearTimeout(this.#timer);
    this.#timer = this.#arm();
  }

  #arm(): ReturnType<typeof setTimeout> {
    const left = this.#deadline - Date.now();
    this.#isLast = left <= this.#limits.timeoutMs;
    return setTimeout(() => this.#expire(), Math.min(this.#limits.timeoutMs, left, LONGEST_TIMER));
  }

  #expire(): void {
    const { timeoutMs, maxTimeoutMs } = this.#limits;
    const waited = this.#isLast ? maxTimeoutMs : timeoutMs;
    const error = new RequestTimeout(`${this.#what} was not answered within ${waited} ms`);
    this.#giveUp(error, 'the request timed out');
  }

  #giveUp(error: unknown, reason: string): void {
    this.#stop();
    this.#sent.abandon();
    this.#onGiveUp(reason);
    this.#reject(error);
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#ignoreSignal?.();
  }
}
