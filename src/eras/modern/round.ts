import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { RoundEnded } from '../../protocol/round.js';
import type { Awaitable } from '../../protocol/settle.js';
import { checkStepResult } from '../../protocol/step.js';
import { type Entry, Journal, type QuestionEntry } from './journal.js';

/** What is known at the beginning of a round. */
export interface RoundStart {
  /** Counted from 1. */
  number: number;
  journal: readonly Entry[];
}

/** What a round ends with when something is still to be answered. */
export interface RoundEnd {
  number: number;
  journal: readonly Entry[];
  questions: Record<string, InputRequest>;
}

/**
 * One pass through a handler. Questions that have an answer get it at once. The first one without ends the
 * round: everything asked in the same turn of the event loop goes out together, and running steps are
 * waited for, so that they need not run again.
 */
export class Round {
  readonly number: number;
  readonly #journal: Journal;
  readonly #onEnd: (end: RoundEnd) => void;
  readonly #open = new Map<QuestionEntry, InputRequest>();
  #reject: ((reason: RoundEnded) => void)[] = [];
  #runningSteps = 0;
  #isScheduled = false;
  #isOver = false;

  constructor(start: RoundStart, onEnd: (end: RoundEnd) => void) {
    this.number = start.number;
    this.#journal = new Journal(start.journal);
    this.#onEnd = onEnd;
  }

  /** Whether something was asked that has no answer: whatever the handler still does, the round will end. */
  get isEnding(): boolean {
    return this.#open.size > 0;
  }

  answer(responses: ReadonlyMap<string, InputResponse>): void {
    this.#journal.answer(responses);
  }

  async ask(request: InputRequest): Promise<InputResponse> {
    if (this.#isOver) throw new RoundEnded();
    const entry = this.#journal.question(request);
    if (entry.a !== undefined) return entry.a;
    this.#open.set(entry, request);
    this.#schedule();
    return new Promise((_resolve, reject) => {
      this.#reject.push(reject);
    });
  }

  async step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    if (this.#isOver) throw new RoundEnded();
    const entry = this.#journal.step(name);
    if (entry.d) return entry.r as T;
    this.#runningSteps++;
    try {
      const result = await run();
      checkStepResult(name, result);
      Object.assign(entry, { d: 1, ...(result !== undefined && { r: result }) });
      return result;
    } finally {
      this.#runningSteps--;
      if (this.isEnding) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    nextTurn(() => {
      this.#isScheduled = false;
      if (this.#runningSteps === 0) this.#end();
    });
  }

  #end(): void {
    this.#isOver = true;
    const questions = [...this.#open].map(([entry, request]) => [this.#journal.keyOf(entry), request]);
    this.#onEnd({
      number: this.number,
      journal: this.#journal.entries,
      questions: Object.fromEntries(questions),
    });
    const ended = new RoundEnded();
    for (const reject of this.#reject) reject(ended);
  }
}

/** After everything that is ready to run has run. */
function nextTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };
  if (setImmediate) setImmediate(callback);
  else setTimeout(callback);
}
