import { Cancelled } from './errors.js';

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal aborts, at once if it has. However many wait for the same signal, it has one
 * listener: runtimes take more than a few for a leak. Returns what ends the wait.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const waiting = callbacks.get(signal) ?? listenTo(signal);
  // A function of its own, so that the same callback may wait twice.
  const own = () => callback();
  waiting.add(own);
  return () => {
    waiting.delete(own);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  callbacks.set(signal, waiting);
  signal.addEventListener(
    'abort',
    () => {
      for (const callback of waiting) callback();
      waiting.clear();
    },
    { once: true },
  );
  return waiting;
}

/** What ends a request when its signal aborts: the author's own error, or `Cancelled` where there is none. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (!(reason instanceof Error)) return cancelled(String(reason), reason);
  return isOfPlatform(reason) ? cancelled(reason.message, reason) : reason;
}

function cancelled(why: string, cause: unknown): Cancelled {
  return new Cancelled(`the request was given up: ${why}`, { cause });
}

/** What `abort()` without a reason and `AbortSignal.timeout` make. */
function isOfPlatform(reason: Error): boolean {
  return reason instanceof DOMException && (reason.name === 'AbortError' || reason.name === 'TimeoutError');
}

/** Throws if a signal has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}
