/** Keeps the most recently set values by key. When it is full, the oldest is removed. */
export class Recent<V> {
  readonly #max: number;
  readonly #kept = new Map<string, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  /** Stores a value as the newest. */
  set(key: string, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size > this.#max) this.#kept.delete(this.#kept.keys().next().value as string);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }
}
