import { copyPlain } from '../../base/copy-plain.js';

interface Entry {
  readonly name: string;
  kept?: { result: unknown };
}

/** The questions and steps of a handler. A handler that asks by hand runs again, and must not repeat them. */
export class Memory {
  readonly #entries: Entry[];
  readonly #earlier: Set<Entry>;

  constructor(before?: Memory) {
    this.#entries = before ? before.#entries : [];
    this.#earlier = new Set(this.#entries);
  }

  /** Runs some work, or returns its earlier result. Entries of the same name are matched by their order. */
  once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#find(name);
    if (entry.kept) return Promise.resolve(copyPlain(entry.kept.result) as T);
    const working = work();
    // Copied before the handler can change the result. A failure is not kept, so it is tried again.
    const keep = (result: T) => {
      entry.kept = { result: copyPlain(result) };
    };
    working.then(keep, () => {});
    return working;
  }

  #find(name: string): Entry {
    for (const entry of this.#earlier) {
      if (entry.name !== name) continue;
      this.#earlier.delete(entry);
      return entry;
    }
    const entry = { name };
    this.#entries.push(entry);
    return entry;
  }
}
