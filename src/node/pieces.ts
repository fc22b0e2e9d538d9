/** How many pieces are kept apart; a piece of one byte costs hundreds. */
const MAX_LOOSE = 1024;

/**
 * Bytes that arrive in pieces. However small the pieces are, they take about as much memory as they hold,
 * because what has arrived is joined from time to time; and each byte is copied at most twice.
 */
export class Pieces {
  /** How many bytes there are. */
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

  /** All that was added, as one. Starts anew. */
  take(): Buffer {
    const pieces = this.#joined.length === 0 ? this.#loose : [...this.#joined, ...this.#loose];
    this.size = 0;
    this.#joined = [];
    this.#loose = [];
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}
