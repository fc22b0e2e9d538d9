import type { Budget } from './budget.js';

/** Which members of an object or array have been evaluated, for `unevaluatedProperties` and `-Items`. */
export class Evaluated {
  readonly properties = new Set<string>();
  /** All items before this index have been evaluated. */
  #itemsBefore = 0;
  readonly #items = new Set<number>();

  addItemsBefore(end: number): void {
    this.#itemsBefore = Math.max(this.#itemsBefore, end);
  }

  addItem(index: number): void {
    this.#items.add(index);
  }

  hasItem(index: number): boolean {
    return index < this.#itemsBefore || this.#items.has(index);
  }

  add(other: Evaluated, budget: Budget): void {
    budget.spend(other.properties.size + other.#items.size);
    for (const name of other.properties) this.properties.add(name);
    for (const index of other.#items) this.#items.add(index);
    this.addItemsBefore(other.#itemsBefore);
  }
}
