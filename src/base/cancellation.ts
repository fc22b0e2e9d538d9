/** Whether a request was cancelled. Most handlers never use their signal, so it is created on demand. */
export class Cancellation {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  /** Called when it is aborted, unless it was before: a callback takes less memory than a signal. */
  onAbort: (() => void) | undefined;

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

  /** Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.onAbort?.();
  }
}
