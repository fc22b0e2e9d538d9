import type { SchemaOptions } from './options.js';
import { SchemaRefused } from './refusal.js';

/** A peer's schema gets some 20 ms. An author's gets enough for the largest request: some 500 ms. */
const MAX_STEPS = { peer: 1_300_000, author: 40_000_000 };

/** Counts the steps of reading or checking, so that no schema can take more than a moment. */
export class Budget {
  #left: number;
  readonly #purpose: string;

  constructor(purpose: 'to read' | 'to check', { from }: SchemaOptions) {
    this.#purpose = purpose;
    this.#left = MAX_STEPS[from];
  }

  /** Call it before the work where its size is known by then. A step takes about 10 ns. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new SchemaRefused('too-complex', '#', `too complex ${this.#purpose}`);
  }
}
