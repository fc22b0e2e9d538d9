import { MAX_STREAM_BACKLOG_BYTES, MAX_STREAM_BURST_BYTES } from '../limits.js';

/** Distinguishes a slow reader from a handler that writes a lot at once. */
export class Backlog {
  #isSameTurn = false;

  /** Whether too much is queued to write another message. Asked before each one, because each may have any size. */
  isTooMuch(queuedBytes: number): boolean {
    if (this.#isSameTurn) return queuedBytes > MAX_STREAM_BURST_BYTES;
    this.#isSameTurn = true;
    setTimeout(() => {
      this.#isSameTurn = false;
    });
    return queuedBytes > MAX_STREAM_BACKLOG_BYTES;
  }
}
