import { inBackground } from '../../base/background.js';
import { TenonError, UsageError } from '../../base/errors.js';
import { defer } from '../../base/turns.js';
import { ClusterUnavailable, reasonOf } from './failures.js';

/** The pause before the second attempt to open a connection. Each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** How connections to a store are opened and ended. */
export interface ConnectionSource<C> {
  /** The name of the store, for messages. */
  readonly store: string;
  /** How long a call may take, the wait for a connection included. */
  readonly timeoutMs: number;
  /** Loads the client library, before the time of the first call begins: on a busy machine that takes seconds. */
  load(): Promise<unknown>;
  /** Opens a connection in bounded time. It calls `onLost` when the connection ends by itself. */
  open(onLost: (cause: unknown) => void): Promise<C>;
  /** Whether a connection on which a call failed can be used further. */
  isAlive(connection: C): boolean;
  /** Ends a connection at once. Calls that still use it fail. */
  end(connection: C): void;
  /** Told when a connection was lost, and when there is another one. */
  onAway?(cause: Error): void;
  onBack?(): void;
}

/** A connection that is opened when it is first needed, and again whenever it is lost, until it is closed. */
export class KeptConnection<C extends object> {
  readonly #source: ConnectionSource<C>;
  #current: C | undefined;
  /** Resolves with the connection that is being opened. */
  #next: { promise: Promise<C>; resolve(connection: C): void; reject(cause: unknown): void } | undefined;
  /** Why there is no connection. */
  #cause: unknown;
  #isLoaded = false;
  #isClosed = false;
  #isAway = false;

  constructor(source: ConnectionSource<C>) {
    this.#source = source;
  }

  /** Whether there is a connection now. */
  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** Works with the connection, in bounded time. A connection that does not answer in time is given up. */
  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
    if (!this.#isLoaded) await this.#source.load();
    this.#isLoaded = true;
    return new Promise<T>((resolve, reject) => {
      let used: C | undefined;
      let isOver = false;
      const end = (settle: () => void) => {
        isOver = true;
        clearTimeout(timer);
        settle();
      };
      // After a standstill of this process the answer may be here already, unread: the sockets come first.
      const giveUp = () => defer(() => isOver || end(() => reject(this.#late(used))));
      const timer = setTimeout(giveUp, this.#source.timeoutMs);
      const start = async (connection: C) => {
        used = connection;
        return isOver ? undefined : work(connection);
      };
      // Mostly there is a connection, and then this need not wait.
      const started = this.#current ? start(this.#current) : this.#get().then(start);
      started.then(
        result => end(() => resolve(result as T)),
        thrown => {
          if (used && !this.#source.isAlive(used)) this.drop(used, thrown);
          end(() => reject(this.#failure(thrown)));
        },
      );
    });
  }

  /** Ends a connection that is of no use any more, and opens another one. */
  drop(connection: C, cause: unknown): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#cause = cause;
    this.#source.end(connection);
    if (this.#isClosed) return;
    const { store, onAway } = this.#source;
    onAway?.(new ClusterUnavailable(`the connection to ${store} was lost: ${reasonOf(cause)}`, { cause }));
    this.#isAway = true;
    void this.#startOpening();
  }

  close(): void {
    this.#isClosed = true;
    this.#next?.reject(new ClusterUnavailable('the cluster was closed'));
    if (this.#current) this.#source.end(this.#current);
    this.#current = undefined;
  }

  async #get(): Promise<C> {
    if (this.#current) return this.#current;
    if (this.#isClosed) throw new ClusterUnavailable('the cluster was closed');
    return this.#startOpening();
  }

  #startOpening(): Promise<C> {
    if (this.#next) return this.#next.promise;
    const next = withResolvers<C>();
    // A connection may be opened although no call waits for it.
    next.promise.catch(() => {});
    this.#next = next;
    void this.#open().then(
      connection => {
        this.#next = undefined;
        if (connection) next.resolve(connection);
      },
      thrown => {
        this.#next = undefined;
        next.reject(thrown);
      },
    );
    return next.promise;
  }

  /** Tries until it has a connection; undefined if it was closed. Throws only what no further attempt could mend. */
  async #open(): Promise<C | undefined> {
    for (let pause = FIRST_PAUSE_MS; !this.#isClosed; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await this.#openOnce();
      } catch (thrown) {
        if (thrown instanceof UsageError) throw thrown;
        this.#cause = thrown;
      }
      const jittered = pause * (0.5 + Math.random());
      await new Promise(resolve => inBackground(setTimeout(resolve, jittered)));
    }
    return undefined;
  }

  async #openOnce(): Promise<C | undefined> {
    let opened: C | undefined;
    let lost: { cause: unknown } | undefined;
    const connection = await this.#source.open(cause => {
      lost ??= { cause };
      if (opened) this.drop(opened, cause);
    });
    if (lost || this.#isClosed) this.#source.end(connection);
    if (lost) throw lost.cause;
    if (this.#isClosed) return undefined;
    opened = connection;
    this.#current = connection;
    this.#cause = undefined;
    if (this.#isAway) this.#source.onBack?.();
    this.#isAway = false;
    return connection;
  }

  /** The end of a call that took too long: the wait for a connection, or for an answer on the one that it used. */
  #late(used: C | undefined): ClusterUnavailable {
    const { store, timeoutMs } = this.#source;
    const late = `${store} did not answer within ${timeoutMs} ms`;
    if (used) this.drop(used, new Error(late));
    if (used || this.#cause === undefined) return new ClusterUnavailable(late);
    if (this.#cause instanceof ClusterUnavailable) return this.#cause;
    return new ClusterUnavailable(`${store} cannot be reached: ${reasonOf(this.#cause)}`, {
      cause: this.#cause,
    });
  }

  #failure(thrown: unknown): unknown {
    if (thrown instanceof TenonError) return thrown;
    return new ClusterUnavailable(`${this.#source.store} failed: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

/** Settles as a promise does, or rejects when that takes too long; then `onLate` gives up what it was waiting for. */
export async function inTime<T>(promise: Promise<T>, timeoutMs: number, onLate: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => {
      reject(new Error(`no answer within ${timeoutMs} ms`));
      onLate();
    };
    timer = setTimeout(giveUp, timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `Promise.withResolvers` is not in Node 20. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (cause: unknown) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
