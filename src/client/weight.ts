import { isObject } from '../base/json.js';
import { nextTurn } from '../base/turns.js';

/** The size of a value: the number of values in it, and about how many characters it has as JSON. */
export interface Weight {
  values: number;
  characters: number;
}

/** How many values are counted in one turn: this takes some milliseconds. */
const MAX_AT_ONCE = 20_000;
/** So few values need no turn of their own. */
const SMALL = 500;

/** Measures a value before it is processed; undefined if it contains more than `maxValues` values. */
export function measure(value: unknown, maxValues: number): Weight | undefined {
  const weighing = new Weighing(value);
  return weighing.advance(maxValues, true) ? weighing : undefined;
}

/** Waits for a turn of its own if the value is large. */
export function beforeWork(value: unknown): Promise<void> | undefined {
  return measure(value, SMALL) ? undefined : nextTurn();
}

/** Measures a value of any size, in several turns. */
export async function weighInTurns(value: unknown): Promise<Weight> {
  const weighing = new Weighing(value);
  while (!weighing.advance(MAX_AT_ONCE)) await nextTurn();
  return weighing;
}

class Weighing implements Weight {
  values = 0;
  characters = 0;
  /** The lists being counted, from the outermost to the innermost. */
  readonly #open: { items: readonly unknown[]; at: number }[];

  constructor(value: unknown) {
    this.#open = [{ items: [value], at: 0 }];
  }

  /** Counts up to this many more values; with `isAll`, stops once there are more. Returns whether all were counted. */
  advance(values: number, isAll = false): boolean {
    const end = this.values + values;
    for (let list = this.#open.at(-1); list; list = this.#open.at(-1)) {
      if (isAll && this.values + list.items.length - list.at > end) return false;
      while (list.at < list.items.length && !this.#add(list.items[list.at++], isAll ? end : undefined)) {
        if (this.values > end) return false;
      }
      if (this.values > end) return false;
      if (list === this.#open.at(-1)) this.#open.pop();
    }
    return true;
  }

  /** Counts a value. Returns whether its members were put on the stack; too many members are only counted. */
  #add(value: unknown, end = Number.POSITIVE_INFINITY): boolean {
    this.values++;
    this.characters += typeof value === 'string' ? value.length + 3 : 3;
    if (Array.isArray(value)) this.#open.push({ items: value, at: 0 });
    else if (isObject(value)) {
      const items: unknown[] = [];
      const names = Object.keys(value);
      if (this.values + names.length > end) {
        this.values += names.length;
        return false;
      }
      for (const name of names) {
        this.characters += name.length + 3;
        items.push(value[name]);
      }
      this.#open.push({ items, at: 0 });
    } else return false;
    return true;
  }
}
