import { MAX_STREAM_BACKLOG_BYTES, MAX_STREAM_BURST_BYTES } from '../limits.js';

/** Tells a reader that is too slow from a writer that says much at once. */
export class Backlog {
  #isSameTurn = false;

  /** Whether this much is too much to wait, asked before the next message: each of them may be of any size. */
  isTooMuch(queuedBytes: number): boolean {
    if (this.#isSameTurn) return queuedBytes > MAX_STREAM_BURST_BYTES;
    this.#isSameTurn = true;
    setTimeout(() => {
      this.#isSameTurn = false;
    });
    return queuedBytes > MAX_STREAM_BACKLOG_BYTES;
  }
}
