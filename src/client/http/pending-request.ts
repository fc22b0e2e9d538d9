import type { Slots } from '../../base/slots.js';
import type { Clock } from '../wire.js';
import type { HttpExchange } from './send.js';

/** A request that can be abandoned, also while it waits for a retry. */
export class PendingRequest {
  /** The current or latest exchange. */
  exchange: HttpExchange | undefined;
  isAbandoned = false;
  /** The revision of the message that is sent. */
  revision: string | undefined;
  readonly clock: Clock | undefined;
  readonly #running: Slots<PendingRequest>;
  readonly #slot: number;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** Registers itself in `running` until it ends. */
  constructor(running: Slots<PendingRequest>, clock: Clock | undefined) {
    this.clock = clock;
    this.#running = running;
    this.#slot = running.add(this);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#running.remove(this.#slot);
  }

  /** Ends the exchange without reading its response. */
  hangUp(): void {
    this.exchange?.abort();
  }

  abandon(): void {
    this.isAbandoned = true;
    this.hangUp();
    this.#wake?.();
    this.end();
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
