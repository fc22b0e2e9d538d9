/**
 * Things that come and go in any order. What a `Set` of calls would do, without the table that a `Set` has to
 * make anew again and again while they come and go.
 */
export class Slots<T> implements Iterable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Takes something in and says where it is. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  remove(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
