import { Recent } from '../base/recent.js';

/** What an entry takes beside its texts, and what a character takes at the most. */
const ENTRY_BYTES = 256;
const CHARACTER_BYTES = 2;

interface Entry<T> {
  readonly text: string;
  readonly about: T;
  readonly bytes: number;
}

/** The texts that were kept most recently, in a limited number of bytes. */
export class KeptTexts<T> {
  readonly #entries: Recent<Entry<T>>;
  readonly #maxBytes: number;

  constructor(max: number, maxBytes: number) {
    this.#entries = new Recent(max, { max: maxBytes, of: ({ bytes }) => bytes });
    this.#maxBytes = maxBytes;
  }

  /** How many characters the longest text may have, if its key has none. */
  get maxCharacters(): number {
    return (this.#maxBytes - ENTRY_BYTES) / CHARACTER_BYTES;
  }

  get(key: string): Entry<T> | undefined {
    return this.#entries.get(key);
  }

  /** Keeps a text in place of the one with the same key. Returns false if it is too large. */
  set(key: string, text: string, about: T): boolean {
    this.#entries.delete(key);
    const bytes = ENTRY_BYTES + (key.length + text.length) * CHARACTER_BYTES;
    if (bytes > this.#maxBytes) return false;
    this.#entries.set(key, { text, about, bytes });
    return true;
  }
}
