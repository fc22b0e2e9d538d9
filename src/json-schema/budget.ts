import type { SchemaOptions } from './options.js';
import { SchemaRefused } from './refusal.js';

/** A peer gets some 20 ms. An author gets what the largest request needs: some 500 ms. */
const MAX_STEPS = { peer: 1_300_000, author: 40_000_000 };

/** Counts work, so that nobody gets more than a moment of it. */
export class Budget {
  #left: number;
  readonly #purpose: string;

  constructor(purpose: 'to read' | 'to check', { from }: SchemaOptions) {
    this.#purpose = purpose;
    this.#left = MAX_STEPS[from];
  }

  /** Call it before the work, if its size is known by then. A step takes about 10 ns. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new SchemaRefused('too-complex', '#', `too complex ${this.#purpose}`);
  }
}
