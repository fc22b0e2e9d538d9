import type { Change } from '../../protocol/changes.js';

/** How long changes are collected, so that a burst becomes one notification. */
const WINDOW_MS = 10;

/** Two changes with the same key are announced once. */
function keyOf(change: Change): string {
  if (change.kind === 'resource') return `resource ${change.uri}`;
  if (change.kind === 'elicitation') return `elicitation ${change.id}`;
  // Notices of extensions are never the same.
  if (change.kind === 'notice') return `notice ${++lastNumber}`;
  const { kind, audience } = change;
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
  readonly #watchers = new Set<(change: Change) => void>();
  readonly #waiting = new Map<string, Change>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  announce(change: Change): void {
    if (this.#watchers.size === 0) return;
    this.#waiting.set(keyOf(change), change);
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS);
  }

  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  flush(): void {
    if (this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const change of changes) {
      for (const watcher of [...this.#watchers]) watcher(change);
    }
  }
}
