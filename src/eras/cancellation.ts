import type { Awaitable } from '../protocol/settle.js';

/**
 * Whether a request is still wanted. Most handlers never look at their signal, so it is made on demand.
 */
export class Cancellation {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #conclude: ((outcome: never) => void) | undefined;

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
    this.#conclude?.(undefined as never);
  }

  /** The outcome of some work, or undefined as soon as nobody wants it, even if the work never ends. */
  unlessAborted<T>(work: Awaitable<T>): Awaitable<T | undefined> {
    if (!(work instanceof Promise)) return this.#aborted ? undefined : work;
    return new Promise((resolve, reject) => {
      if (this.#aborted) resolve(undefined);
      this.#conclude = resolve as (outcome: never) => void;
      work.then(resolve, reject);
    });
  }

  /** Ends the wait for work with an outcome of its own, and tells the work to stop. */
  conclude(outcome: unknown, reason: unknown): void {
    this.#conclude?.(outcome as never);
    this.#conclude = undefined;
    this.abort(reason);
  }
}

/** Why a request was cancelled: the `reason` of its signal. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
