import { Pieces } from './pieces.js';

/** Splits a stream of bytes into lines, in time linear in their number, holding at most `maxBytes` of a line. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onOverflow: () => void;
  readonly #parts = new Pieces();
  #size = 0;
  #isSkipping = false;

  /** `onOverflow` is called once for a line that is too long; the rest of it is skipped. */
  constructor(options: { maxBytes: number; onLine: (line: Buffer) => void; onOverflow: () => void }) {
    this.#maxBytes = options.maxBytes;
    this.#onLine = options.onLine;
    this.#onOverflow = options.onOverflow;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The stream is over: what is left is a line, too. */
  end(): void {
    this.#finishLine();
  }

  #add(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#size += part.length;
    if (this.#size > this.#maxBytes) {
      this.#isSkipping = true;
      this.#parts.take();
      this.#onOverflow();
    } else this.#parts.add(part);
  }

  #finishLine(): void {
    const line = this.#parts.take();
    this.#size = 0;
    const wasSkipping = this.#isSkipping;
    this.#isSkipping = false;
    if (!wasSkipping && line.length > 0) this.#onLine(line);
  }
}

const NEWLINE = 10;
