import { Recent } from '../../base/recent.js';
import { MAX_COUNTED_TASKS } from './limits.js';
import type { Lease } from './record.js';

/**
 * Tells whether a lease has run out. Clocks of nodes differ, and jump: a lease that nobody renews has run out, too,
 * whatever its date says. A lease that is taken too early costs a run, but nothing is written by both.
 */
export class Leases {
  readonly #leaseMs: number;
  readonly #seen = new Recent<{ lease: Lease; at: number }>(MAX_COUNTED_TASKS);

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** A lease for a run, beginning now. */
  grant(run: string): Lease {
    return leaseFor(run, this.#leaseMs);
  }

  /** A lease for the first run of a task, at this node, that is created now. */
  reserve(): Lease {
    return { ...this.grant(crypto.randomUUID()), isReserved: true };
  }

  isOver(id: string, lease: Lease | undefined): boolean {
    if (!lease || lease.until <= Date.now()) return true;
    const seen = this.#seen.get(id);
    const isSame = seen?.lease.run === lease.run && seen.lease.until === lease.until;
    if (!isSame) this.#seen.set(id, { lease, at: performance.now() });
    return isSame && performance.now() - seen.at > 1.5 * this.#leaseMs;
  }
}

/** A lease for a run, beginning now. */
export function leaseFor(run: string, leaseMs: number): Lease {
  return { run, until: Date.now() + leaseMs };
}
