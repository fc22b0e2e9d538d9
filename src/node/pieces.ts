/** How many pieces are kept before they are joined: a piece of one byte takes hundreds. */
const MAX_LOOSE = 1024;

/**
 * Collects bytes that arrive in pieces. Pieces are joined from time to time, so that even small ones take little more
 * memory than their bytes; each byte is copied at most twice.
 */
export class Pieces {
  /** The number of bytes collected so far. */
  size = 0;
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];

  add(piece: Buffer): void {
    this.size += piece.length;
    this.#loose.push(piece);
    if (this.#loose.length < MAX_LOOSE) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** Returns the joined bytes and resets. */
  take(): Buffer {
    const pieces = this.#joined.length === 0 ? this.#loose : [...this.#joined, ...this.#loose];
    this.size = 0;
    this.#joined = [];
    this.#loose = [];
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}
