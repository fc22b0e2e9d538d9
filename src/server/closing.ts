import type { Cancellation } from '../base/cancellation.js';

/** Announces that a server closes. An AbortSignal would warn about more than ten listeners. */
export class Closing {
  readonly #waiting = new Set<() => void>();
  #hasBegun = false;

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  begin(): void {
    this.#hasBegun = true;
    for (const callback of this.#waiting) callback();
    this.#waiting.clear();
  }

  /** Resolves when the server closes, or before that when the request is cancelled. */
  orAborted(cancellation: Cancellation): Promise<void> {
    if (this.#hasBegun || cancellation.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const done = () => {
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
      cancellation.onAbort = done;
    });
  }
}
