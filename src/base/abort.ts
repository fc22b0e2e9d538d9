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
