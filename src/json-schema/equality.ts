import { isObject } from '../base/json.js';
import { isLonger } from '../base/json-length.js';
import type { Budget } from './budget.js';
import { SchemaRefused } from './refusal.js';

const MAX_DEPTH = 256;

/** A set of JSON values. Objects and arrays are equal if their contents are equal. */
export class JsonSet {
  readonly #scalars = new Set<unknown>();
  /** The objects and arrays, as JSON text. */
  #texts: Set<unknown> | undefined;
  #longestText = 0;

  /** Returns whether the value is new. */
  add(value: unknown, budget: Budget): boolean {
    const [known, key] = this.#find(value, budget);
    if (known === this.#texts) this.#longestText = Math.max(this.#longestText, (key as string).length);
    return known.size < known.add(key).size;
  }

  has(value: unknown, budget: Budget): boolean {
    // A value may be megabytes longer than all those that it is compared with.
    if (typeof value === 'object' && value !== null && isLonger(value, this.#longestText)) return false;
    const [known, key] = this.#find(value, budget);
    return known.has(key);
  }

  #find(value: unknown, budget: Budget): readonly [known: Set<unknown>, key: unknown] {
    if (typeof value === 'object' && value !== null) {
      this.#texts ??= new Set();
      return [this.#texts, textOf(value, budget, 0)];
    }
    budget.spend(5 + (typeof value === 'string' ? value.length >> 3 : 0));
    return [this.#scalars, value];
  }
}

/** JSON with the keys of objects sorted, so that equal values have equal texts. */
function textOf(value: unknown, budget: Budget, depth: number): string {
  if (depth > MAX_DEPTH)
    throw new SchemaRefused('too-complex', '#', 'too complex to compare: nested too deeply');
  budget.spend(20);
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += `${textOf(item, budget, depth + 1)},`;
    return `[${items}]`;
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    // Sorting n keys compares each of them about log2(n) times.
    budget.spend(keys.length * (30 + 5 * Math.log2(keys.length + 1)));
    let members = '';
    for (const key of keys.sort()) {
      members += `${quote(key, budget)}:${textOf(value[key], budget, depth + 1)},`;
    }
    return `{${members}}`;
  }
  return typeof value === 'string' ? quote(value, budget) : String(Object.is(value, -0) ? 0 : value);
}

function quote(text: string, budget: Budget): string {
  budget.spend(text.length >> 2);
  return JSON.stringify(text);
}
