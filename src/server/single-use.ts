import { ownText } from '../base/own-text.js';
import type { Service } from '../protocol/service.js';
import type { SingleUse } from '../protocol/single-use.js';
import type { Cluster } from './cluster/cluster.js';
import { clusterSingleUse } from './cluster/single-use.js';
import { MAX_USED_STATES, USED_ID_LENGTH } from './limits.js';
import { warnLocal } from './local-only.js';
import { StoreFull } from './store-full.js';

/** How often expired uses are removed; more often if the store is full, but not with every call. */
const SWEEP_MS = 60_000;
const MIN_SWEEP_MS = 1000;

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

/**
 * The same for a server: in its cluster, or else in this process. That warns if there are keys: others may have them,
 * too, and a later process will.
 */
export function createSingleUse(
  service: Pick<Service, 'info' | 'warn'>,
  hasKeys: boolean,
  maxRemembered: number,
  cluster?: Cluster | undefined,
): SingleUse {
  if (cluster) return clusterSingleUse(cluster, service.info.name);
  return createMemorySingleUse(maxRemembered, hasKeys ? () => warnLocal(service, 'uses') : undefined);
}
