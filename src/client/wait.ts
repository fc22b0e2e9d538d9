import { abortError, onAbort } from '../base/abort.js';
import { inBackground } from '../base/background.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import { type Deadline, timedOut } from './deadline.js';
import type { Clock, Sent } from './wire.js';

/** Waits for the response to one request, up to its time limits. */
export class Wait implements Clock {
  readonly #what: string;
  #timeoutMs: number;
  readonly #deadline: Deadline;
  readonly #isBackground: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expire: (() => void) | undefined;
  #giveUp: ((error: unknown, reason: string) => void) | undefined;
  /** Whether nobody waits for the outcome. */
  isUnattended = false;
  /** Called with what stops the time. */
  onHold: ((until: Promise<unknown>) => void) | undefined;
  /** Whether the timer already runs to the deadline, so that progress cannot extend it. */
  #isLast = false;
  /** How many holds are active, during which the time does not count, such as a user who signs in. */
  #holds = 0;
  #heldSince = 0;

  /** A background wait does not keep the process alive. */
  constructor(what: string, timeoutMs: number, deadline: Deadline, isBackground = false) {
    this.#what = what;
    this.#timeoutMs = timeoutMs;
    this.#deadline = deadline;
    this.#isBackground = isBackground;
  }

  /**
   * Resolves with the response. `onGiveUp` is called if the time is over or the signal aborts before that. With
   * `onLate`, the timeout does not end the wait: it is reported, and the wait goes on to the deadline.
   */
  for<T>(
    sent: Sent<T>,
    signal: AbortSignal | undefined,
    onGiveUp: (reason: string) => void,
    onLate?: (error: Error) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let ignoreSignal: (() => void) | undefined;
      const stop = () => {
        this.#expire = undefined;
        this.#giveUp = undefined;
        clearTimeout(this.#timer);
        ignoreSignal?.();
      };
      const giveUp = (error: unknown, reason: string) => {
        stop();
        sent.abandon();
        onGiveUp(reason);
        reject(error);
      };
      this.#giveUp = giveUp;
      const expire = () => giveUp(this.#timeout(), 'the request timed out');
      const beLate = () => {
        onLate?.(this.#timeout());
        this.#expire = expire;
        this.#timeoutMs = MAX_TIMER_MS;
        this.#start();
      };
      this.#expire = onLate ? beLate : expire;
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
      ignoreSignal = onAbort(signal, () => giveUp(abortError(signal), reasonOf(signal)));
    });
  }

  /** The server made progress: the timeout starts again, but the deadline stays. */
  progressed(): void {
    if (!this.#isLast) this.#start();
  }

  /** Ends the wait: no response can come any more. */
  fail(error: Error): void {
    this.#giveUp?.(error, 'the request cannot succeed');
  }

  hold(until: Promise<unknown>): void {
    this.onHold?.(until);
    if (this.#holds++ === 0) this.#heldSince = Date.now();
    clearTimeout(this.#timer);
    const release = () => {
      if (--this.#holds > 0) return;
      this.#deadline.excludeSince(this.#heldSince);
      this.#start();
    };
    until.then(release, release);
  }

  /** Starts the timer, unless the wait is over or on hold. */
  #start(): void {
    clearTimeout(this.#timer);
    const expire = this.#expire;
    if (!expire || this.#holds > 0) return;
    const left = this.#deadline.leftMs;
    this.#isLast = left <= this.#timeoutMs;
    this.#timer = setTimeout(expire, Math.min(this.#timeoutMs, left, MAX_TIMER_MS));
    if (this.#isBackground) inBackground(this.#timer);
  }

  #timeout(): Error {
    return this.#isLast ? this.#deadline.timeout(this.#what) : timedOut(this.#what, this.#timeoutMs);
  }
}

const MAX_REASON = 1000;

/** The reason that the server is told. Only a text is meant for it; an error may have details that are not. */
function reasonOf({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason.slice(0, MAX_REASON) : 'the request is no longer needed';
}
