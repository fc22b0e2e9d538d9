import { SchemaRefused } from './refusal.js';

/** Counts work, so that nobody gets more than a moment of it. */
export interface Budget {
  /** Call it before the work, if its size is known by then. A step takes some 20 ns. */
  spend(steps: number): void;
}

/** For reading a schema. Only one that is made to be large needs more. */
export class ReadingBudget implements Budget {
  #left = 1_000_000;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new SchemaRefused('too-complex', '#', 'too complex to read');
  }
}

/** What every check may take, even on a slow machine. */
const MIN_STEPS = 1_000_000;
const STEPS_PER_ROUND = 200_000;
const MAX_ROUNDS = 45;
const MAX_MILLISECONDS = 20;

/**
 * For checking a value. Steps are counted as in the worst case, but mostly take much less; so when they are used
 * up, the clock tells whether there is another round. Some runtimes stop the clock, so there is a last one.
 */
export class CheckingBudget implements Budget {
  readonly #end = performance.now() + MAX_MILLISECONDS;
  #left = MIN_STEPS;
  #rounds = 0;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#renew();
  }

  #renew(): void {
    this.#rounds++;
    this.#left += STEPS_PER_ROUND;
    if (this.#left >= 0 && this.#rounds <= MAX_ROUNDS && performance.now() < this.#end) return;
    throw new SchemaRefused('too-complex', '#', 'too complex to check');
  }
}
