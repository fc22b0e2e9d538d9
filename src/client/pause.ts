import { onAbort } from '../protocol/abort.js';

/** Waits for some milliseconds, or until a signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      ignoreSignal?.();
      resolve();
    };
    const timer = setTimeout(done, ms);
    let ignoreSignal: (() => void) | undefined;
    if (signal) ignoreSignal = onAbort(signal, done);
  });
}
