import { SchemaRefused } from './refusal.js';

/** Some 20 ms. */
const MAX_STEPS = 1_300_000;

/** Counts work, so that nobody gets more than a moment of it. */
export class Budget {
  #left = MAX_STEPS;
  readonly #purpose: string;

  constructor(purpose: 'to read' | 'to check') {
    this.#purpose = purpose;
  }

  /** Call it before the work, if its size is known by then. A step takes about 10 ns. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new SchemaRefused('too-complex', '#', `too complex ${this.#purpose}`);
  }
}
