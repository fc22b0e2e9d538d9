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

const STEPS_PER_ROUND = 200_000;
const MAX_ROUNDS = 50;
const MAX_ROUNDS_AT_ONCE = 3;
const MAX_MILLISECONDS = 20;

/**
 * For checking a value. Steps are counted as the worst case has it, and mostly take much less; so when they are
 * used up, the clock decides whether there is another round. (Some runtimes stop the clock: rounds are numbered.)
 */
export class CheckingBudget implements Budget {
  readonly #end = performance.now() + MAX_MILLISECONDS;
  #left = STEPS_PER_ROUND;
  #rounds = 1;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#renew();
  }

  #renew(): void {
    const used = Math.ceil(-this.#left / STEPS_PER_ROUND);
    this.#rounds += used;
    this.#left += used * STEPS_PER_ROUND;
    const isTooMuch = used > MAX_ROUNDS_AT_ONCE || this.#rounds > MAX_ROUNDS;
    if (isTooMuch || performance.now() > this.#end)
      throw new SchemaRefused('too-complex', '#', 'too complex to check');
  }
}
