import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The lines of a stream as they come. */
export class Lines {
  readonly all: string[] = [];
  #wake = () => {};

  constructor(stream: Readable) {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line => {
      this.all.push(line);
      this.#wake();
    });
  }

  /** Resolves with the first line that passes, which may have come already. */
  async until(passes: (line: string) => boolean): Promise<string> {
    for (;;) {
      const found = this.all.find(passes);
      if (found !== undefined) return found;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
}
