import { copyJson } from '../../base/canonical.js';

interface Deed {
  readonly name: string;
  kept?: { result: unknown };
}

/** What a handler has asked and done. One that asks by hand is called again, and must not repeat it. */
export class Memory {
  readonly #deeds: Deed[];
  readonly #earlier: Set<Deed>;

  constructor(before?: Memory) {
    this.#deeds = before ? before.#deeds : [];
    this.#earlier = new Set(this.#deeds);
  }

  /** Does something, or gives out what came of it before. Deeds of one name are told apart by their order. */
  once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const deed = this.#find(name);
    if (deed.kept) return Promise.resolve(copyJson(deed.kept.result) as T);
    const working = work();
    // Copied before anybody else sees the result. What failed is not kept.
    const keep = (result: T) => {
      deed.kept = { result: copyJson(result) };
    };
    working.then(keep, () => {});
    return working;
  }

  #find(name: string): Deed {
    for (const deed of this.#earlier) {
      if (deed.name !== name) continue;
      this.#earlier.delete(deed);
      return deed;
    }
    const deed = { name };
    this.#deeds.push(deed);
    return deed;
  }
}
