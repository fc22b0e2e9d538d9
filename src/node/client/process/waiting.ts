import { MAX_TIMER_MS } from '../../../base/timers.js';

const MAX_PAUSE_MS = 40;

/** Resolves with the value of a promise, or with undefined after the time limit. */
export async function withTimeLimit<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, MAX_TIMER_MS));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until a condition is true, up to a time limit. Resolves with whether it is. */
export async function until(isTrue: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let pause = 1; !isTrue(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    if (performance.now() >= deadline) return false;
    await new Promise(resolve => setTimeout(resolve, pause));
  }
  return true;
}
