import { signal } from './signal.js';
import { type ProcessEntry, readProcess, readProcessTable } from './table.js';
import type { ProcessTree } from './tree.js';

/** How often the process table is read until all processes have stopped. */
const MAX_LOOKS = 20;

/**
 * The tree of a process on Linux, including processes that have left its group. They are found by their parents and by
 * their session, which outlives the parents. The root process leads a session, and no other process can join a session.
 */
export class LinuxTree implements ProcessTree {
  readonly #pid: number;
  /** Sessions that are led by a process of the tree. */
  readonly #sessions: Set<number>;
  /** All processes that were found, with their start times. */
  readonly #known = new Map<number, string>();

  constructor(pid: number) {
    this.#pid = pid;
    this.#sessions = new Set([pid]);
  }

  /** Finds the processes of the tree that are alive. */
  look(): ProcessEntry[] {
    const table = readProcessTable();
    const found = new Map<number, ProcessEntry>();
    for (;;) {
      const fresh = table.filter(entry => !found.has(entry.pid) && this.#belongs(entry, found));
      if (fresh.length === 0) break;
      for (const entry of fresh) {
        found.set(entry.pid, entry);
        this.#known.set(entry.pid, entry.startedAt);
        if (entry.session === entry.pid) this.#sessions.add(entry.pid);
      }
    }
    return [...found.values()].filter(isAlive);
  }

  isAlive(): boolean {
    for (const [pid, startedAt] of this.#known) {
      const entry = readProcess(pid);
      if (entry?.startedAt === startedAt && isAlive(entry)) return true;
    }
    return this.look().length > 0;
  }

  terminate(): boolean {
    const members = this.look();
    this.#signal(members, 'SIGTERM');
    return members.length > 0;
  }

  /** Stops all processes first: a stopped process cannot start another one between the look and the kill. */
  kill(): void {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const running = this.look().filter(({ state }) => state === 'R' || state === 'S');
      if (running.length === 0) break;
      this.#signal(running, 'SIGSTOP');
    }
    this.#signal(this.look(), 'SIGKILL');
  }

  #belongs({ pid, parent, session, startedAt }: ProcessEntry, found: Map<number, ProcessEntry>): boolean {
    return found.has(parent) || this.#sessions.has(session) || this.#known.get(pid) === startedAt;
  }

  /** The group is signalled as a whole, so that a process that is just being started is included. */
  #signal(entries: readonly ProcessEntry[], name: NodeJS.Signals): void {
    const targets = new Set(entries.map(({ pid, group }) => (group === this.#pid ? -group : pid)));
    for (const target of targets) signal(target, name);
  }
}

/** A zombie does not count: some stay forever because their parent never waits for them. */
function isAlive({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}
