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

  /** Resolves when the server closes, or before that when `signal` aborts. */
  orAborted(signal: AbortSignal): Promise<void> {
    if (this.#hasBegun || signal.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }
}
