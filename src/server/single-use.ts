import { TenonError } from '../base/errors.js';
import { ownText } from '../base/own-text.js';
import type { SingleUse } from '../protocol/single-use.js';
import { MAX_USED_STATES } from './limits.js';

/** How often what has expired is forgotten; sooner if there is no room, but not all the time. */
const SWEEP_MS = 60_000;
const MIN_SWEEP_MS = 1000;

/**
 * The store that remembers what was used once is full. The request fails, because to forget a use would be to let it
 * happen twice. Give the server a larger store, as `singleUse`.
 *
 * @example
 * const server = new Server({ name: 'bank', version: '1.0.0' }, {
 *   onError: error => error instanceof StoreFull && page(theOperator),
 * });
 */
export class StoreFull extends TenonError {
  override readonly name = 'StoreFull';
  override readonly kind = 'store-full';
}

/** Remembers in this process only. On several nodes use a store that they share. */
export function createMemorySingleUse(maxRemembered = MAX_USED_STATES): SingleUse {
  const used = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  function makeRoom(now: number): void {
    const isFull = used.size >= maxRemembered;
    if (now - sweptAt >= (isFull ? MIN_SWEEP_MS : SWEEP_MS)) {
      sweptAt = now;
      for (const [id, until] of used) if (until <= now) used.delete(id);
    }
    if (used.size < maxRemembered) return;
    // To forget one would be to let it happen twice.
    throw new StoreFull(
      `more than ${maxRemembered} uses are to be remembered: give the server a store for them (singleUse)`,
    );
  }

  return {
    redeem(id, expiresAt) {
      const now = Date.now();
      const until = used.get(id);
      if (until !== undefined && until > now) return false;
      makeRoom(now);
      used.set(ownText(id), expiresAt);
      return true;
    },
  };
}
