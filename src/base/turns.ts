import type { Awaitable } from './settle.js';

/** How many units of work are done in one turn. A unit takes 5 to 50 ns, depending on the work. */
const TURN = 128 * 1024;

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Resolves in a later turn of the event loop, after timers and sockets were served. Each waiter gets a turn of its own:
 * a hundred short pieces of work must not run as one long one.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve);
    schedule();
  });
}

/** Counts work that comes in small portions, and tells when to pause. */
export class Pace {
  #spent = 0;

  /** Returns a promise to wait for before continuing, if it is time to pause. */
  spend(units: number): Promise<void> | undefined {
    this.#spent += units;
    if (this.#spent < TURN) return undefined;
    this.#spent = 0;
    return nextTurn();
  }
}

/** Calls `use` for each item, a few in each turn. `use` returns how much work it was. */
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
 * Calls back in the next turn of the event loop, after everything that is ready to run.
 *
 * On Node, a timer is not enough: Node runs due timers before it polls sockets, and after a slice of work the next
 * timer is always due. A MessageChannel delivers thousands of messages in one turn. Elsewhere a timer is a turn.
 */
export function defer(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };
  if (setImmediate) setImmediate(callback);
  else setTimeout(callback);
}
