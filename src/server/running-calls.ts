import type { Cancellation } from '../base/cancellation.js';
import { Slots } from '../base/slots.js';
import { errorText, type RequestId } from '../jsonrpc/message.js';
import { ERROR } from '../protocol/errors.js';
import type { Answer, Deliver } from './answer.js';

interface Cancellable {
  readonly id: RequestId;
  readonly cancellation: Cancellation;
}

/** The requests under way, for whoever has to wait for their end or to put one to them. */
export class InFlight {
  readonly #calls = new Slots<Cancellable>();
  #whenIdle: (() => void) | undefined;
  #gaveUp: Error | undefined;

  /** Watches over a call until its answer. If there is none because of `drain`, the client is told so. */
  watch(call: Cancellable, deliver: Deliver): Deliver {
    const slot = this.#calls.add(call);
    return answer => {
      this.#calls.remove(slot);
      if (this.#calls.size === 0) this.#whenIdle?.();
      deliver(answer ?? this.#lastWords(call.id));
    };
  }

  /** Waits for all to end; after `graceMs` they are aborted. */
  async drain(graceMs: number, reason: Error): Promise<void> {
    const timer = setTimeout(() => {
      this.#gaveUp = reason;
      for (const { cancellation } of [...this.#calls]) cancellation.abort(reason);
    }, graceMs);
    await new Promise<void>(resolve => {
      this.#whenIdle = resolve;
      if (this.#calls.size === 0) resolve();
    });
    clearTimeout(timer);
    // The last answers are still being handed over in this turn of the event loop.
    await new Promise(resolve => setTimeout(resolve));
  }

  #lastWords(id: RequestId): Answer | undefined {
    if (!this.#gaveUp) return undefined;
    return {
      text: errorText(id, { code: ERROR.internal, message: this.#gaveUp.message }),
      code: ERROR.internal,
    };
  }
}
