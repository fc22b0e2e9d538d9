import { inBackground } from './background.js';

/**
 * Calls back after each `ms` in which a measure has not changed, and however it changes after `maxMs`. Returns a function
 * that stops it.
 */
export function onStandstill(
  measure: () => unknown,
  ms: number,
  callback: () => void,
  maxMs: number = Number.POSITIVE_INFINITY,
): () => void {
  let before = measure();
  let elapsed = 0;
  const timer = inBackground(
    setInterval(() => {
      const now = measure();
      elapsed += ms;
      if (now === before || elapsed >= maxMs) callback();
      before = now;
    }, ms),
  );
  return () => clearInterval(timer);
}
