import { copyPlain } from '../../base/copy-plain.js';
import { copyJson } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { defer } from '../../base/turns.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { ROUND_ENDED, RoundEnded } from '../../protocol/round.js';
import { toStepResult } from '../../protocol/step.js';
import { DETOUR_MS, RUNNING_STEPS_MS, STUCK_STEP_MS } from '../limits.js';
import { Journal, type JournalEntry, type QuestionEntry, type StepEntry } from './journal.js';

/** How far a request is. The next run of its handler begins with it. */
export interface RoundProgress {
  /** The questions and steps so far. */
  journal: readonly JournalEntry[];
  /** How often the request has called `ctx.once()`. */
  passes: number;
}

/** Takes the questions that a round leaves open, or the problem because of which they cannot be asked. */
export type OnRoundEnd = (questions: Record<string, InputRequest>, problem: McpError | undefined) => void;

/**
 * One run of a handler. Questions that have an answer get it at once. The first one without an answer ends the round:
 * all questions of the same turn of the event loop are sent together, and the round waits for running steps, so that
 * they need not run again.
 */
export class Round {
  /** The current progress, which the round changes. */
  readonly progress: RoundProgress;
  readonly #journal: Journal;
  readonly #onEnd: OnRoundEnd;
  readonly #open = new Map<QuestionEntry, InputRequest>();
  /** Rejects the questions and steps that wait for the end of the round. */
  #reject: ((reason: Error) => void)[] = [];
  /** Wakes steps that wait for earlier steps to come up. */
  #wake: (() => void)[] = [];
  #runningSteps = 0;
  #onIdle: (() => void) | undefined;
  #passing: Promise<void> = Promise.resolve();
  #problem: McpError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isScheduled = false;
  #isClosed = false;
  #isOver = false;

  constructor(start: RoundProgress, onEnd: OnRoundEnd) {
    this.#journal = new Journal(start.journal);
    this.progress = { journal: this.#journal.entries, passes: start.passes };
    this.#onEnd = onEnd;
  }

  /** Whether a question without an answer is open. Then the round will end, whatever the handler does next. */
  get isEnding(): boolean {
    return this.#open.size > 0;
  }

  /** Whether the handler was told that the round ends, so that its outcome no longer counts. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  answer(responses: ReadonlyMap<string, InputResponse>): void {
    this.#journal.answer(responses);
  }

  ask(request: InputRequest): Promise<InputResponse> {
    if (this.#isClosed) return Promise.reject(ROUND_ENDED);
    const entry = this.#journal.question(request);
    // Other branches may be waiting for this question.
    if (this.isEnding) this.#schedule();
    // The handler gets a copy, so that it cannot change the answer.
    if (entry.a !== undefined) return Promise.resolve(copyPlain(entry.a));
    this.#open.set(entry, request);
    this.#schedule();
    return new Promise((_resolve, reject) => {
      this.#reject.push(reject);
    });
  }

  async step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    if (this.#isClosed) throw ROUND_ENDED;
    const entry = this.#journal.step(name);
    if (this.isEnding) this.#schedule();
    this.#wakeSteps();
    while (this.#journal.isPremature(entry)) await this.#otherSteps();
    return entry.d ? (copyJson(entry.r) as T) : this.#run(entry, run);
  }

  /**
   * Serves `ctx.once()`. Each call, in this round and in later ones, has its own number. Among rounds that began with
   * the same state, `pass` lets only one have a number; the others fail.
   */
  once(pass: (number: number) => Promise<void>): Promise<void> {
    if (this.#isClosed) return Promise.reject(ROUND_ENDED);
    const number = this.progress.passes++;
    // One after the other: when one is refused, those after it are refused, too.
    const passed = this.#passing.then(() => pass(number));
    this.#passing = passed;
    return this.#whileRunning(() => passed);
  }

  /** Starts no more steps. Returns a promise for the running ones; undefined if there are none. */
  stop(): Promise<void> | undefined {
    this.#isClosed = true;
    if (this.#runningSteps === 0) return undefined;
    return new Promise(resolve => {
      this.#onIdle = resolve;
    });
  }

  #run<T>(entry: StepEntry, run: () => Awaitable<T>): Promise<T> {
    return this.#whileRunning(async () => {
      try {
        const result = toStepResult(entry.s, await run());
        Object.assign(entry, { d: 1, ...(result !== undefined && { r: copyJson(result) }) });
        return result;
      } catch (thrown) {
        if (thrown instanceof RoundEnded) this.#problem ??= stepAsks(entry.s);
        throw thrown;
      }
    });
  }

  /** Runs work that the end of the round waits for. */
  async #whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.#runningSteps++;
    try {
      return await work();
    } finally {
      this.#runningSteps--;
      if (this.#runningSteps === 0) this.#onIdle?.();
      if (this.isEnding || this.#wake.length > 0) this.#schedule();
    }
  }

  /** Resolves when another step comes up; rejects if none does. */
  #otherSteps(): Promise<void> {
    this.#schedule();
    return new Promise((resolve, reject) => {
      this.#wake.push(resolve);
      this.#reject.push(reject);
    });
  }

  #wakeSteps(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    defer(() => {
      this.#isScheduled = false;
      this.#settle(false);
    });
  }

  /** Checks whether the round can end. Called when everything that was ready to run has run. */
  #settle(wasPatient: boolean): void {
    if (this.#isOver) return;
    if (this.#runningSteps > 0) {
      if (this.isEnding) this.#later(RUNNING_STEPS_MS, () => this.#close(ROUND_ENDED));
      else if (this.#wake.length > 0) this.#later(STUCK_STEP_MS, () => this.#endStuck());
      return;
    }
    const problem = this.#problem ?? this.#journal.divergence();
    if (problem && problem !== this.#problem && !wasPatient) {
      return this.#later(DETOUR_MS, () => this.#isScheduled || this.#settle(true));
    }
    if (problem || this.isEnding) this.#end(problem);
  }

  #endStuck(): void {
    const problem = this.#journal.divergence();
    if (problem) this.#end(problem);
  }

  #end(problem: McpError | undefined): void {
    this.#isOver = true;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const questions = [...this.#open].map(([entry, request]) => [this.#journal.keyOf(entry), request]);
    this.#onEnd(Object.fromEntries(questions), problem);
    this.#close(problem ?? ROUND_ENDED);
  }

  /** Accepts no more questions and steps, and rejects those that wait. */
  #close(reason: Error): void {
    this.#isClosed = true;
    for (const reject of this.#reject.splice(0)) reject(reason);
  }

  #later(ms: number, callback: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(callback, ms);
  }
}

/** A step that waits for an answer would have to run again in the next round, but steps run only once. */
function stepAsks(name: string): McpError {
  return new McpError(ERROR.internal, `the step "${name}" waits for an answer: ask before it or after it`);
}
