/** What was kept last, by key. When there is too much, the oldest goes. */
export class Recent<V> {
  readonly #max: number;
  readonly #kept = new Map<string, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  /** Keeps a value as the newest. */
  set(key: string, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size > this.#max) this.#kept.delete(this.#kept.keys().next().value as string);
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }
}
