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
    this.finish(undefined);
  }

  /** Sets who gets the outcome, once: nothing as soon as nobody wants it, even if the work never ends. */
  deliverTo(deliver: (outcome: never) => void): void {
    this.#deliver = deliver;
    if (this.#aborted) this.finish(undefined);
  }

  /** Hands the outcome over, unless that was done. */
  finish(outcome: unknown): void {
    this.takeOver()?.(outcome);
  }

  /** The way to hand the outcome over, for one who decides it from now on. */
  takeOver(): ((outcome: unknown) => void) | undefined {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    return deliver as ((outcome: unknown) => void) | undefined;
  }
}
