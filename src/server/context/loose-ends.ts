import { UsageError } from '../../base/errors.js';
import { RoundEnded } from '../../protocol/round.js';

/** Something that a handler began with its context, and should await. */
interface End {
  /** Its name in messages: `its question "How many guests?"`, `its step "hold"`. */
  readonly name: string;
  readonly isQuestion: boolean;
  readonly promise: ObservedPromise<unknown>;
  failure?: { cause: unknown };
}

/**
 * Keeps the questions and steps of a handler until they succeed, so that those which it forgot to await are reported.
 * Nothing else would tell the author: their errors must not end the process.
 */
export class LooseEnds {
  readonly #ends = new Set<End>();
  #report: ((error: UsageError) => void) | undefined;
  #who = '';

  track<T>(name: string, isQuestion: boolean, outcome: Promise<T>): Promise<T> {
    const promise = new ObservedPromise<T>((resolve, reject) => outcome.then(resolve, reject));
    const end: End = { name, isQuestion, promise };
    this.#ends.add(end);
    const fail = (cause: unknown) => {
      end.failure = { cause };
      if (this.#report) this.#tell(end, this.#report);
    };
    promise.observe(() => this.#ends.delete(end), fail);
    return promise;
  }

  /** Reports what is left when the handler has ended, and later the steps that still run and fail. */
  report(who: string, hasReturned: boolean, report: (error: UsageError) => void): void {
    this.#who = who;
    this.#report = report;
    for (const end of [...this.#ends]) {
      if (end.failure) {
        this.#tell(end, report);
      } else if (end.isQuestion) {
        this.#ends.delete(end);
        if (hasReturned)
          report(new UsageError(`${who} returned before ${end.name} was answered; await the answer`));
      }
    }
  }

  #tell(end: End, report: (error: UsageError) => void): void {
    const { name, promise, failure } = end;
    if (!this.#ends.delete(end) || promise.isAwaited || failure?.cause instanceof RoundEnded) return;
    report(new UsageError(`${this.#who} did not await ${name}, which failed`, { cause: failure?.cause }));
  }
}

/** A promise that knows whether somebody waits for it. */
class ObservedPromise<T> extends Promise<T> {
  isAwaited = false;

  static override get [Symbol.species]() {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` calls it
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onFulfilled, onRejected);
  }

  /** Like `then`, but does not count as waiting. */
  observe(onFulfilled: () => void, onRejected: (reason: unknown) => void): void {
    void super.then(onFulfilled, onRejected);
  }
}
