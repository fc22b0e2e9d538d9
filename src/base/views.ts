import { isPlain } from './json.js';

/**
 * A copy of a value that cannot be changed, however deep: lists and plain objects are copied and frozen, and everything else
 * stays as it is.
 */
export function readOnly<T>(value: T): T;
export function readOnly(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(readOnly));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) copy[name] = readOnly(copy[name]);
  return Object.freeze(copy);
}

/** Shows values as copies that cannot be changed, and knows which value each of them shows. */
export class Views {
  readonly #shown = new WeakMap<object, unknown>();
  readonly #values = new WeakMap<object, unknown>();

  /** The view of a value: the same one each time. */
  of<T>(value: T): T {
    if (typeof value !== 'object' || value === null || this.#values.has(value)) return value;
    const shown = (this.#shown.get(value) ?? readOnly(value)) as T & object;
    this.#shown.set(value, shown);
    if (shown !== value) this.#values.set(shown, value);
    return shown;
  }

  /** The value behind a view; anything else is returned as it is. */
  behind<T>(value: T): T {
    return (this.#values.get(value as object) ?? value) as T;
  }
}
