/** A process with all that it has started. */
export interface ProcessTree {
  /** Notes who belongs to it: once a process is gone, nobody can tell any more what it had started. */
  look(): void;
  isAlive(): boolean;
  /** Asks all of them to end. False if nobody is left. */
  terminate(): boolean;
  /** Ends all of them, now. */
  kill(): void;
}
