import { onAbort } from '../../../base/abort.js';
import { MAX_TIMER_MS } from '../../../base/timers.js';
import { AccessError } from '../../../client/auth/errors.js';

interface PendingCallback {
  resolve(callback: URL): void;
  reject(problem: unknown): void;
}

/** The sign-ins that wait for a user, by the `state` that the user comes back with. */
export class CallbackWaits {
  readonly #waits = new Map<string, PendingCallback>();
  readonly #timeoutMs: number;
  #hasEnded = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = Math.min(timeoutMs, MAX_TIMER_MS);
  }

  /** Sends a user to the page and waits until they come back. */
  async wait(state: string, signal: AbortSignal, leave: () => void | Promise<void>): Promise<URL> {
    if (this.#hasEnded) throw closed();
    if (signal.aborted) throw cancelled(signal);
    let wait!: PendingCallback;
    const back = new Promise<URL>((resolve, reject) => {
      wait = { resolve, reject };
    });
    this.#waits.set(state, wait);
    const timer = setTimeout(() => wait.reject(late(this.#timeoutMs)), this.#timeoutMs);
    const stopListening = onAbort(signal, () => wait.reject(cancelled(signal)));
    // Not awaited: the user may be back before it is done.
    (async () => leave())().catch(wait.reject);
    return back.finally(() => {
      clearTimeout(timer);
      stopListening();
      this.#waits.delete(state);
    });
  }

  /** The callback for the address that a user came back to; undefined if no sign-in has this state. */
  take(state: string): ((callback: URL) => void) | undefined {
    const wait = this.#waits.get(state);
    this.#waits.delete(state);
    return wait?.resolve;
  }

  end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waits.values()) reject(closed());
  }
}

function late(timeoutMs: number): AccessError {
  return new AccessError('denied', `the user did not come back within ${timeoutMs / 1000} s; sign in again`);
}

function cancelled({ reason }: AbortSignal): AccessError {
  return new AccessError('denied', 'the sign-in was cancelled', { cause: reason });
}

function closed(): AccessError {
  return new AccessError('denied', 'the sign-in was ended before the user came back');
}
