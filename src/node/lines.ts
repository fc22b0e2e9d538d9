import type { Awaitable } from '../base/settle.js';
import { Pieces } from './pieces.js';

/** Splits a stream of bytes into lines, in time linear in its length, holding at most `maxBytes` of a line. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer) => Awaitable<void>;
  readonly #onOverflow: () => void;
  readonly #parts = new Pieces();
  #size = 0;
  #isSkipping = false;

  /**
   * If `onLine` returns a promise, the following lines wait for it. `onOverflow` is called once for a line that is too
   * long; the rest of that line is skipped.
   */
  constructor(options: {
    maxBytes: number;
    onLine: (line: Buffer) => Awaitable<void>;
    onOverflow: () => void;
  }) {
    this.#maxBytes = options.maxBytes;
    this.#onLine = options.onLine;
    this.#onOverflow = options.onOverflow;
  }

  /** The caller must wait for the returned promise before it pushes the next chunk. */
  push(chunk: Buffer, from = 0): Awaitable<void> {
    let start = from;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      start = end + 1;
      const pending = this.#finishLine();
      if (pending instanceof Promise) return pending.then(() => this.push(chunk, start));
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Ends the stream: the remaining bytes are a line, too. */
  end(): Awaitable<void> {
    return this.#finishLine();
  }

  #add(part: Buffer): void {
    if (this.#isSkipping || part.length === 0) return;
    this.#size += part.length;
    if (this.#size > this.#maxBytes) {
      this.#isSkipping = true;
      this.#parts.take();
      this.#onOverflow();
    } else this.#parts.add(part);
  }

  #finishLine(): Awaitable<void> {
    const isLine = !this.#isSkipping && this.#size > 0;
    this.#isSkipping = false;
    this.#size = 0;
    if (isLine) return this.#onLine(this.#parts.take());
  }
}

const NEWLINE = 10;
