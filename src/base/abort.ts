import { Cancelled } from './errors.js';

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal aborts, or at once if it has aborted. Each signal gets only one listener, however many
 * callbacks wait for it: runtimes report more than a few as a leak. Returns a function that removes the callback.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const waiting = callbacks.get(signal) ?? listenTo(signal);
  // A separate function, so that the same callback may be registered twice.
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

/** The error of a request whose signal aborted: the author's own error, or `Cancelled` if there is none. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (!(reason instanceof Error)) return cancelled(String(reason), reason);
  return isPlatformAbort(reason) ? cancelled(reason.message, reason) : reason;
}

function cancelled(why: string, cause: unknown): Cancelled {
  return new Cancelled(`the request was given up: ${why}`, { cause });
}

/** Whether a reason comes from `abort()` without a reason, or from `AbortSignal.timeout`. */
function isPlatformAbort(reason: Error): boolean {
  return reason instanceof DOMException && (reason.name === 'AbortError' || reason.name === 'TimeoutError');
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}
