/** Keeps the most recently set values by key. When it is full, the oldest are removed. */
export class Recent<V> {
  readonly #max: number;
  readonly #maxWeight: number;
  readonly #weigh: (value: V) => number;
  readonly #kept = new Map<string, V>();
  #weight = 0;

  /** With `weights`, the values may also not weigh more than that together. */
  constructor(max: number, weights?: { max: number; of(value: V): number }) {
    this.#max = max;
    this.#maxWeight = weights?.max ?? Number.POSITIVE_INFINITY;
    this.#weigh = weights?.of ?? (() => 0);
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  /** Whether the next new key removes the oldest one. */
  get isFull(): boolean {
    return this.#kept.size >= this.#max;
  }

  /** The keys, oldest first. */
  keys(): IterableIterator<string> {
    return this.#kept.keys();
  }

  /** Stores a value as the newest. */
  set(key: string, value: V): void {
    this.delete(key);
    this.#kept.set(key, value);
    this.#weight += this.#weigh(value);
    while (this.#kept.size > this.#max || this.#weight > this.#maxWeight) {
      this.delete(this.#kept.keys().next().value as string);
    }
  }

  delete(key: string): void {
    const value = this.#kept.get(key);
    if (this.#kept.delete(key)) this.#weight -= this.#weigh(value as V);
  }
}
