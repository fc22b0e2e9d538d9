import { STREAM_OPEN_TIMEOUT_MS } from '../limits.js';

/** Reads the stream until the signal aborts, or until the server ends it for good. */
export type ReadStream = (signal: AbortSignal, onOpen: () => void) => Promise<void>;

/** The stream on which a legacy server sends messages that belong to no request, for as long as it is needed. */
export class ServerStream {
  /** Settles when the stream has ended for good. */
  readonly done: Promise<void>;
  /** Resolves when the stream is open or has timed out; undefined after that. */
  opening: Promise<void> | undefined;
  users = 0;
  /** Whether the server ever opened the stream. */
  wasOpen = false;
  readonly #read: ReadStream;
  #current = new AbortController();
  #stopWaiting: () => void = () => {};
  #isStopped = false;

  constructor(read: ReadStream) {
    this.#read = read;
    this.#wait();
    this.done = this.#run();
    const over = () => this.#stopWaiting();
    this.done.then(over, over);
  }

  /** Opens the stream again in a new session. */
  restart(): void {
    this.#wait();
    this.#current.abort();
  }

  stop(): void {
    this.#isStopped = true;
    this.#current.abort();
  }

  async #run(): Promise<void> {
    let signal: AbortSignal;
    do {
      this.#current = new AbortController();
      ({ signal } = this.#current);
      await this.#read(signal, () => {
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
