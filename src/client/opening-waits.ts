import type { Deadline } from './deadline.js';
import type { RequestOptions } from './link.js';
import { Wait } from './wait.js';

/** The waits of calls for a connection, or a session, that is being opened. */
export class OpeningWaits {
  readonly #waits = new Set<Wait>();

  /**
   * Waits until the connection is open, within the limits of the call. Other calls may wait for the same connection, so
   * its opening goes on without this one. It has limits of its own: the client's `timeoutMs` is not counted again.
   */
  async for<T>(
    opening: Promise<T>,
    method: string,
    { signal, timeoutMs = Infinity, deadline }: RequestOptions & { deadline: Deadline },
  ): Promise<T> {
    const wait = new Wait(method, timeoutMs, deadline);
    this.#waits.add(wait);
    try {
      return await wait.for({ response: opening, abandon() {} }, signal, () => {});
    } finally {
      this.#waits.delete(wait);
    }
  }

  /** Stops the time of all waiting calls, such as while a user signs in. */
  hold(until: Promise<unknown>): void {
    for (const wait of this.#waits) wait.hold(until);
  }
}
