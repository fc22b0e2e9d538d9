import { RequestTimeout } from '../protocol/failures.js';

/**
 * When a call has to be over, with all of its rounds, pauses, pages and repeated requests. Time in which the server is
 * not at fault does not count, such as the time that a user takes to answer a question or to sign in.
 */
export class Deadline {
  readonly #limitMs: number;
  #endsAt: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#endsAt = Date.now() + limitMs;
  }

  get leftMs(): number {
    return this.#endsAt - Date.now();
  }

  /** Moves the end by the time since `startedAt`, which does not count. */
  excludeSince(startedAt: number): void {
    this.#endsAt += Date.now() - startedAt;
  }

  /** Throws if the time is over. `what` names the request. */
  check(what: string): void {
    if (this.leftMs <= 0) throw this.timeout(what);
  }

  timeout(what: string): RequestTimeout {
    return timedOut(what, this.#limitMs);
  }
}

export function timedOut(what: string, limitMs: number): RequestTimeout {
  return new RequestTimeout(`${what} was not answered within ${limitMs} ms`);
}
