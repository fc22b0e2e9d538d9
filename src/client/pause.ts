import { onAbort } from '../base/abort.js';

/** Waits for some milliseconds, or until a signal aborts. */
export function pause(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise(resolve => {
    const ignore: (() => void)[] = [];
    const done = () => {
      clearTimeout(timer);
      for (const end of ignore) end();
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of signals) if (signal) ignore.push(onAbort(signal, done));
  });
}
