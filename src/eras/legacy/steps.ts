import { copyJson } from '../../protocol/canonical.js';
import type { Awaitable } from '../../protocol/settle.js';
import { toStepResult } from '../../protocol/step.js';

interface Step {
  readonly name: string;
  kept?: { result: unknown };
}

/** The steps of a request. A handler that asks by hand is called again and must not repeat them. */
export class Steps {
  readonly #all: Step[];
  readonly #earlier: Set<Step>;

  constructor(before?: Steps) {
    this.#all = before ? before.#all : [];
    this.#earlier = new Set(this.#all);
  }

  /** Runs a step, or gives out what it returned before. Steps of one name are told apart by their order. */
  async run<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    const step = this.#find(name);
    if (step.kept) return copyJson(step.kept.result) as T;
    const result = toStepResult(name, await run());
    step.kept = { result: copyJson(result) };
    return result;
  }

  #find(name: string): Step {
    for (const step of this.#earlier) {
      if (step.name !== name) continue;
      this.#earlier.delete(step);
      return step;
    }
    const step = { name };
    this.#all.push(step);
    return step;
  }
}
