import type { Cancellation } from './cancellation.js';

/** The requests under way, for whoever has to wait for their end or to put one to them. */
export class InFlight {
  readonly #calls = new Set<{ readonly cancellation: Cancellation }>();
  #whenIdle: (() => void) | undefined;

  add(call: { readonly cancellation: Cancellation }): void {
    this.#calls.add(call);
  }

  delete(call: { readonly cancellation: Cancellation }): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#whenIdle?.();
  }

  /** Waits for all to end; after `graceMs` they are aborted. */
  async drain(graceMs: number, reason: Error): Promise<void> {
    const timer = setTimeout(() => {
      for (const { cancellation } of [...this.#calls]) cancellation.abort(reason);
    }, graceMs);
    await new Promise<void>(resolve => {
      this.#whenIdle = resolve;
      if (this.#calls.size === 0) resolve();
    });
    clearTimeout(timer);
  }
}
