import { isObject } from '../base/json.js';
import { nextTurn } from '../base/turns.js';

/** How much there is in a value: numbers, texts, lists and all, and about how long it is as JSON. */
export interface Weight {
  values: number;
  characters: number;
}

/** What is weighed in one turn: some milliseconds. */
const MAX_AT_ONCE = 20_000;
/** What is walked over without much ado. */
const FEW = 500;

/** Weighs a value that somebody is about to walk over; undefined if it has more than `maxValues`. */
export function weigh(value: unknown, maxValues: number): Weight | undefined {
  const weighing = new Weighing(value);
  return weighing.advance(maxValues, true) ? weighing : undefined;
}

/** Waits for a turn of its own if there is much to do with a value. */
export function beforeWork(value: unknown): Promise<void> | undefined {
  return weigh(value, FEW) ? undefined : nextTurn();
}

/** Weighs a value of any size. */
export async function weighInTurns(value: unknown): Promise<Weight> {
  const weighing = new Weighing(value);
  while (!weighing.advance(MAX_AT_ONCE)) await nextTurn();
  return weighing;
}

class Weighing implements Weight {
  values = 0;
  characters = 0;
  /** The lists that are being looked at, one within the other. */
  readonly #open: { items: readonly unknown[]; at: number }[];

  constructor(value: unknown) {
    this.#open = [{ items: [value], at: 0 }];
  }

  /** Looks at so many more values, or at fewer if all of them are wanted and there are more. Returns whether these were all. */
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

  /** Counts a value. Returns whether it has others in it, which are next; if they are too many, they just count. */
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
