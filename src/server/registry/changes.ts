import type { Change, MissedChanges } from '../../protocol/changes.js';
import type { ChangeWatcher } from '../../protocol/service.js';

/** How long changes are collected, so that a burst becomes one notification. */
const WINDOW_MS = 10;

/** Two changes with the same key are announced once. */
function keyOf(change: Change | MissedChanges): string {
  if (change.kind === 'resource') return `resource ${change.uri}`;
  if (change.kind === 'elicitation') return `elicitation ${change.id}`;
  // Notices of extensions are never the same.
  if (change.kind === 'notice') return `notice ${++lastNumber}`;
  const { kind } = change;
  const audience = kind === 'missed' ? undefined : change.audience;
  if (!audience) return kind;
  return 'session' in audience ? `${kind} #${numberOf(audience.session)}` : `${kind} ${audience.principal}`;
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(session: object): number {
  const number = numbers.get(session) ?? ++lastNumber;
  numbers.set(session, number);
  return number;
}

/** Tells watchers about changes: each list or resource once per burst. */
export class Changes {
  readonly #watchers = new Set<ChangeWatcher>();
  readonly #waiting = new Map<string, { change: Change | MissedChanges; isHeard: boolean }>();
  readonly #report: (error: unknown, where: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(report: (error: unknown, where: string) => void) {
    this.#report = report;
  }

  /** `isHeard` if another node has announced it first. */
  announce(change: Change | MissedChanges, isHeard = false): void {
    if (this.#watchers.size === 0) return;
    const key = keyOf(change);
    // A change on this node is told to the others, also if the same one was heard of a moment before.
    this.#waiting.set(key, { change, isHeard: isHeard && this.#waiting.get(key)?.isHeard !== false });
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS);
  }

  watch(watcher: ChangeWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  flush(): void {
    if (this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { change, isHeard } of changes) {
      for (const watcher of [...this.#watchers]) {
        // A timer calls this, so an error that left it would end the process.
        try {
          watcher(change, isHeard);
        } catch (thrown) {
          this.#report(thrown, `a change (${change.kind})`);
        }
      }
    }
  }
}
