import { TenonError } from '../base/errors.js';
import { tellOncePerProcess } from '../base/once-per-process.js';
import { ownText } from '../base/own-text.js';
import type { Service } from '../protocol/service.js';
import type { SingleUse } from '../protocol/single-use.js';
import { MAX_USED_STATES, USED_ID_LENGTH } from './limits.js';

/** How often expired uses are removed; more often if the store is full, but not with every call. */
const SWEEP_MS = 60_000;
const MIN_SWEEP_MS = 1000;

/**
 * The store of single uses is full. The request fails, because forgetting a use would allow it a second time. The error
 * goes to `onError` of the server; give the server a larger store as `singleUse`.
 *
 * @example
 * const server = new Server({ name: 'bank', version: '1.0.0' }, {
 *   onError(error) {
 *     if (error instanceof StoreFull) console.error('a larger store is needed:', error.message);
 *   },
 * });
 */
export class StoreFull extends TenonError {
  override readonly name = 'StoreFull';
  override readonly kind = 'store-full';
}

/** Remembers uses in this process only; long ids count as several, so that their memory is limited. Several nodes need a store that they share: `onUse` may say so. */
export function createMemorySingleUse(maxRemembered = MAX_USED_STATES, onUse?: () => void): SingleUse {
  const used = new Map<string, number>();
  let count = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  function makeRoom(now: number, more: number): void {
    const isFull = count + more > maxRemembered;
    if (now - sweptAt >= (isFull ? MIN_SWEEP_MS : SWEEP_MS)) {
      sweptAt = now;
      for (const [id, until] of used) if (until <= now) forget(id);
    }
    if (count + more <= maxRemembered) return;
    throw new StoreFull(
      `more than ${maxRemembered} uses are to be remembered: give the server a store for them (singleUse)`,
    );
  }

  function forget(id: string): void {
    if (used.delete(id)) count -= countOf(id);
  }

  return {
    redeem(id, expiresAt) {
      onUse?.();
      const now = Date.now();
      const until = used.get(id);
      if (until !== undefined && until > now) return false;
      forget(id);
      makeRoom(now, countOf(id));
      used.set(ownText(id), expiresAt);
      count += countOf(id);
      return true;
    },
  };
}

function countOf(id: string): number {
  return Math.ceil(id.length / USED_ID_LENGTH);
}

/** The same, for processes with keys: others may have them, too, and a later process will. */
export function createLocalSingleUse(service: Pick<Service, 'warn'>, maxRemembered?: number): SingleUse {
  return createMemorySingleUse(maxRemembered, () =>
    tellOncePerProcess(ONLY_HERE, text => service.warn(text, 'singleUse')),
  );
}

const ONLY_HERE =
  'keys are set, but only this process remembers which states were used, so refuseReplays and ctx.once() do not refuse ' +
  'a state that another process with these keys has used. If there are several, give them a shared store as singleUse.';
