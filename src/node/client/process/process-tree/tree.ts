/** A process with all its descendants. */
export interface ProcessTree {
  /** Records the processes of the tree: once a process has exited, its children can no longer be traced to it. */
  look(): void;
  isAlive(): boolean;
  /** Asks all processes to end. Returns false if there are none. */
  terminate(): boolean;
  /** Kills all processes immediately. */
  kill(): void;
}
