/** How much may wait for a reader from one turn of the event loop to the next. */
const MAX_QUEUED_BYTES = 256 * 1024;
/** How much may be added in one turn, in which nothing can leave. */
const MAX_BURST_BYTES = 4 * 1024 * 1024;

/** Tells a reader that is too slow from a writer that says much at once. */
export class Backlog {
  #isSameTurn = false;

  /** Whether this much is too much to wait, asked before the next message: each of them may be of any size. */
  isTooMuch(queuedBytes: number): boolean {
    if (this.#isSameTurn) return queuedBytes > MAX_BURST_BYTES;
    this.#isSameTurn = true;
    setTimeout(() => {
      this.#isSameTurn = false;
    });
    return queuedBytes > MAX_QUEUED_BYTES;
  }
}
