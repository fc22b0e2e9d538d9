import type { Awaitable } from '../protocol/settle.js';

/**
 * Whether a request is still wanted. Most handlers never look at their signal, so it is made on demand.
 */
export class Cancellation {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #deliver: ((outcome: never) => void) | undefined;

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.#conclude(undefined);
  }

  /**
   * Hands the outcome of some work over, once: nothing as soon as nobody wants it, even if the work never ends.
   * The work must not reject.
   */
  deliver<T>(work: Awaitable<T>, to: (outcome: T | undefined) => void): void {
    if (this.#aborted) return to(undefined);
    if (!(work instanceof Promise)) return to(work);
    this.#deliver = to;
    work.then(outcome => this.#conclude(outcome));
  }

  /** Tells the work to stop, and hands over an outcome in place of its own, if need be when it is there. */
  conclude(outcome: Awaitable<unknown>, reason: unknown): void {
    const deliver = this.#deliver as ((outcome: unknown) => void) | undefined;
    this.#deliver = undefined;
    if (outcome instanceof Promise) void outcome.then(deliver);
    else deliver?.(outcome);
    this.abort(reason);
  }

  #conclude(outcome: unknown): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    deliver?.(outcome as never);
  }
}

/** Why a request was cancelled: the `reason` of its signal. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
