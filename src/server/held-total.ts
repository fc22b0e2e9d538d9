/** A server whose memory for peers is part of the total of the process. */
export interface Holder {
  readonly limit: number;
  readonly held: number;
  /** Whether the server has closed: its limit no longer counts, but the bytes that it still holds do. */
  readonly isClosed: boolean;
  /** Gives up idle things until no more than `limit` bytes are held. */
  shrinkTo(limit: number): boolean;
}

/** From how many on, holders that are gone are looked for. */
const MIN_HOLDERS = 16;

/**
 * The bytes that several servers hold together. Their limit is the largest of those of the servers that are open, so
 * that a second server in a process does not double what clients can make it hold.
 */
export class HeldTotal {
  held = 0;
  limit = 0;
  /** Weak, because a server may be dropped without being closed. */
  readonly #holders = new Set<WeakRef<Holder>>();
  #holdersLimit = MIN_HOLDERS;

  join(holder: Holder): void {
    // Some runtimes do not have it. They run one server in each isolate.
    if (typeof WeakRef === 'undefined') {
      this.limit = Number.POSITIVE_INFINITY;
      return;
    }
    this.#holders.add(new WeakRef(holder));
    this.limit = Math.max(this.limit, holder.limit);
    if (this.#holders.size < this.#holdersLimit) return;
    this.count();
    this.#holdersLimit = Math.max(MIN_HOLDERS, this.#holders.size * 2);
  }

  /** Gives up idle things of any server, of the one that holds most first. Returns false if more is still held. */
  shrinkTo(limit: number): boolean {
    const holders = this.count().sort((one, other) => other.held - one.held);
    for (const holder of holders) {
      if (this.held <= limit) break;
      holder.shrinkTo(holder.held - (this.held - limit));
    }
    return this.held <= limit;
  }

  /** Counts again, without the servers that were dropped, and returns the others. */
  count(): Holder[] {
    const holders: Holder[] = [];
    for (const reference of this.#holders) {
      const holder = reference.deref();
      if (holder) holders.push(holder);
      else this.#holders.delete(reference);
    }
    this.held = holders.reduce((sum, { held }) => sum + held, 0);
    const limits = holders.filter(({ isClosed }) => !isClosed).map(({ limit }) => limit);
    if (limits.length > 0) this.limit = Math.max(...limits);
    return holders;
  }
}

/** What all servers of this process hold for clients that connect from outside. */
export const PROCESS_TOTAL = new HeldTotal();
