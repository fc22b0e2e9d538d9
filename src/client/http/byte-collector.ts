const FIRST_BYTES = 16 * 1024;

/** Joins chunks of bytes. One array that grows takes less memory than many small chunks. */
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

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.size);
  }
}
