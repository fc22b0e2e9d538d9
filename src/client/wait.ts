import { abortError, onAbort } from '../base/abort.js';
import { inBackground } from '../base/background.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import { RequestTimeout } from '../protocol/failures.js';
import type { TimeLimits } from './limits.js';
import type { Clock, Sent } from './wire.js';

/** Waits for the answer to one request no longer than its limits allow. */
export class Wait implements Clock {
  readonly #what: string;
  readonly #limits: TimeLimits;
  readonly #isBackground: boolean;
  #deadline: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expire: (() => void) | undefined;
  /** Whether the timer runs to the deadline, so that progress does not start it anew. */
  #isLast = false;
  /** How many things the request waits for that are not up to the server. */
  #holds = 0;
  #heldSince = 0;

  /** A process may end before a wait that is in the background. */
  constructor(what: string, limits: TimeLimits, isBackground = false) {
    this.#what = what;
    this.#limits = limits;
    this.#isBackground = isBackground;
    this.#deadline = Date.now() + limits.maxTimeoutMs;
  }

  /** Resolves with the answer. `onGiveUp` is called if the wait ends before it: the time is over, or the signal aborts. */
  for<T>(sent: Sent<T>, signal: AbortSignal | undefined, onGiveUp: (reason: string) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let ignoreSignal: (() => void) | undefined;
      const stop = () => {
        this.#expire = undefined;
        clearTimeout(this.#timer);
        ignoreSignal?.();
      };
      const giveUp = (error: unknown, reason: string) => {
        stop();
        sent.abandon();
        onGiveUp(reason);
        reject(error);
      };
      this.#expire = () => giveUp(this.#timeout(), 'the request timed out');
      this.#start();
      sent.response.then(
        response => {
          stop();
          resolve(response);
        },
        error => {
          stop();
          reject(error);
        },
      );
      if (!signal) return;
      ignoreSignal = onAbort(signal, () => giveUp(abortError(signal), 'the request is no longer needed'));
    });
  }

  /** The server is at work: the time without progress begins anew, but the deadline stays. */
  progressed(): void {
    if (!this.#isLast) this.#start();
  }

  hold(until: Promise<unknown>): void {
    if (this.#holds++ === 0) this.#heldSince = Date.now();
    clearTimeout(this.#timer);
    const release = () => {
      if (--this.#holds > 0) return;
      this.#deadline += Date.now() - this.#heldSince;
      this.#start();
    };
    until.then(release, release);
  }

  /** Starts the timer, if somebody waits and the time counts. */
  #start(): void {
    clearTimeout(this.#timer);
    const expire = this.#expire;
    if (!expire || this.#holds > 0) return;
    const { timeoutMs } = this.#limits;
    const left = this.#deadline - Date.now();
    this.#isLast = left <= timeoutMs;
    this.#timer = setTimeout(expire, Math.min(timeoutMs, left, MAX_TIMER_MS));
    if (this.#isBackground) inBackground(this.#timer);
  }

  #timeout(): RequestTimeout {
    const { timeoutMs, maxTimeoutMs } = this.#limits;
    const waited = this.#isLast ? maxTimeoutMs : timeoutMs;
    return new RequestTimeout(`${this.#what} was not answered within ${waited} ms`);
  }
}
