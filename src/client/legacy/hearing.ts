import { STREAM_OPEN_TIMEOUT_MS } from '../limits.js';

/** Hears the server until the signal aborts. Ends before that if the server has no more to say. */
export type Hear = (signal: AbortSignal, onOpen: () => void) => Promise<void>;

/** One stream of what a server says by itself, for as long as somebody wants it. */
export class Hearing {
  /** Settles when nothing more will be heard. */
  readonly done: Promise<void>;
  /** Resolves when the stream is open, or is not worth waiting for; there only until then. */
  opening: Promise<void> | undefined;
  users = 0;
  /** Whether the server let itself be heard at all. */
  wasOpen = false;
  readonly #hear: Hear;
  #stream = new AbortController();
  #stopWaiting: () => void = () => {};
  #isStopped = false;

  constructor(hear: Hear) {
    this.#hear = hear;
    this.#wait();
    this.done = this.#run();
    const over = () => this.#stopWaiting();
    this.done.then(over, over);
  }

  /** Begins anew, in a session that has taken the place of another. */
  restart(): void {
    this.#wait();
    this.#stream.abort();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream.abort();
  }

  async #run(): Promise<void> {
    let signal: AbortSignal;
    do {
      this.#stream = new AbortController();
      ({ signal } = this.#stream);
      await this.#hear(signal, () => {
        this.wasOpen = true;
        this.#stopWaiting();
      });
    } while (signal.aborted && !this.#isStopped);
  }

  #wait(): void {
    this.#stopWaiting();
    this.opening = new Promise(resolve => {
      const timer = setTimeout(() => this.#stopWaiting(), STREAM_OPEN_TIMEOUT_MS);
      this.#stopWaiting = () => {
        clearTimeout(timer);
        this.opening = undefined;
        resolve();
      };
    });
  }
}
