import type { Passed, TraceEntry } from './entry.js';
import { maskEntry } from './mask.js';

/** Takes entries: the view, a recording, or lines of JSON. */
export type Sink = (entry: TraceEntry) => void;

/** Gives what passes its time, masks its secrets, and hands it to the sinks. */
export class Tracer {
  readonly #sinks: readonly Sink[];
  readonly #isMasked: boolean;
  readonly #startedAt = performance.now();

  constructor(sinks: readonly Sink[], { masked }: { masked: boolean }) {
    this.#sinks = sinks;
    this.#isMasked = masked;
  }

  tell(passed: Passed): void {
    const at = Math.round((performance.now() - this.#startedAt) * 10) / 10;
    const entry = { at, ...passed };
    const shown = this.#isMasked ? maskEntry(entry) : entry;
    for (const sink of this.#sinks) sink(shown);
  }
}
