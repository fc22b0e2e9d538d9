import type { Awaitable } from './settle.js';

/** How much is done before others get their turn. A unit takes 5 to 50 ns, depending on what it is. */
const TURN = 128 * 1024;

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Resolves in a later turn of the event loop, in which timers and sockets have had theirs. Whoever waits gets a turn
 * alone: what takes a moment in each of a hundred places must not take a hundred moments at once.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve);
    schedule();
  });
}

/** Counts work that comes in small portions, and says when it is time to pause. */
export class Pace {
  #spent = 0;

  /** Returns what to wait for before going on, if there is something. */
  spend(units: number): Promise<void> | undefined {
    this.#spent += units;
    if (this.#spent < TURN) return undefined;
    this.#spent = 0;
    return nextTurn();
  }
}

/** Does the same with each of many things, a few in each turn. `use` returns how much work it was. */
export function forEachInTurns<T>(
  things: readonly T[],
  use: (thing: T) => number,
  from = 0,
  pace = new Pace(),
): Awaitable<void> {
  for (let at = from; at < things.length; at++) {
    const pause = pace.spend(use(things[at] as T));
    if (pause) return pause.then(() => forEachInTurns(things, use, at + 1, pace));
  }
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  defer(() => {
    isScheduled = false;
    waiting.shift()?.();
    schedule();
  });
}

/**
 * Calls back in the next turn of the event loop, after everything that is ready to run has run.
 *
 * Timers alone would not do on Node: it runs one that is due before it looks at sockets, and after a slice of work
 * the next is always due. Messages to oneself are taken by the thousand. Elsewhere a timer is a turn of its own.
 */
export function defer(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };
  if (setImmediate) setImmediate(callback);
  else setTimeout(callback);
}
