const NEWLINE = 10;
/** The longest line that is looked at. Longer ones pass all the same. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Reads the lines of a stream that is passed on elsewhere. */
export class LineTap {
  readonly #onLine: (line: string) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Takes what has come as a line: at its end, and at the end of the stream. */
  end(): void {
    const isLong = this.#bytes > MAX_LINE_BYTES;
    const line = isLong
      ? `(a line of ${this.#bytes} bytes, too long to be shown)`
      : Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    if (line.trim() !== '') this.#onLine(line);
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_LINE_BYTES) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }
}
