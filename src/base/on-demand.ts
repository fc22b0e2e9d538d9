import type { Awaitable } from './settle.js';

/** Something that is loaded when it is first needed. A failed attempt is repeated the next time. */
export class OnDemand<T> {
  /** Undefined until it has been loaded. */
  loaded: T | undefined;
  /** Set while it is being loaded, and afterwards. */
  loading: Promise<T> | undefined;
  readonly #load: () => Promise<T>;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  get(): Awaitable<T> {
    if (this.loaded !== undefined) return this.loaded;
    this.loading ??= this.#load().then(
      loaded => {
        this.loaded = loaded;
        return loaded;
      },
      error => {
        this.loading = undefined;
        throw error;
      },
    );
    return this.loading;
  }
}
