import { signal } from './signal.js';
import type { ProcessTree } from './tree.js';

/** The tree of a process where only its group is known: processes that have left the group are not found. */
export class GroupTree implements ProcessTree {
  readonly #group: number;

  constructor(pid: number) {
    this.#group = -pid;
  }

  look(): void {}

  isAlive(): boolean {
    return signal(this.#group, 0);
  }

  terminate(): boolean {
    return signal(this.#group, 'SIGTERM');
  }

  kill(): void {
    signal(this.#group, 'SIGKILL');
  }
}
