import { MAX_TIMER_MS } from '../../../base/timers.js';

const MAX_PAUSE_MS = 40;

/** What a promise resolves with; undefined if that takes too long. */
export async function withTimeLimit<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, MAX_TIMER_MS));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until something is true, but not too long. Resolves with whether it is. */
export async function until(isTrue: () => boolean, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let pause = 1; !isTrue(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    if (performance.now() >= deadline) return false;
    await new Promise(resolve => setTimeout(resolve, pause));
  }
  return true;
}
