const FIRST_BYTES = 16 * 1024;

/** Bytes that come in chunks, as one. Many small chunks would take more memory than one array that grows. */
export class ByteCollector {
  size = 0;
  #bytes = new Uint8Array(FIRST_BYTES);

  add(chunk: Uint8Array): void {
    const needed = this.size + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.size);
    this.size = needed;
  }

  /** All that was added. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.size);
  }
}
