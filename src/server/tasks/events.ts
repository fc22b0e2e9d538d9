import { inBackground } from '../../base/background.js';
import type { JsonObject } from '../../base/json.js';
import { Recent } from '../../base/recent.js';
import type { Session } from '../../protocol/call.js';
import type { Audience } from '../../protocol/changes.js';
import type { LocalService } from '../../protocol/service.js';
import type { Subscription } from '../cluster/cluster.js';
import type { Server } from '../server.js';
import { LOOK_AGAIN_MS, MAX_COUNTED_TASKS } from './limits.js';
import { hasEnded, type TaskState } from './record.js';
import type { TaskStore } from './store.js';
import { showCoreTask, showTask } from './view.js';

export interface EventOptions {
  readonly store: TaskStore;
  readonly server: Server;
  readonly service: LocalService;
  /** Whether the store is shared, so that every node hears of every change. */
  readonly isShared: boolean;
}

/** Tells the parts of this node, and its clients, of changes of tasks, wherever they were made. */
export class TaskEvents {
  readonly #options: EventOptions;
  readonly #watchers = new Map<string, Set<(state: TaskState) => void>>();
  /** The newest change of each task, because messages of different nodes may overtake each other. */
  readonly #sequences = new Recent<number>(MAX_COUNTED_TASKS);
  /** The sessions that created tasks without authentication: others must not hear of these. */
  readonly #sessions = new Recent<Session>(MAX_COUNTED_TASKS);
  /** The tasks that clients of this node listen to. */
  readonly #listened = new Recent<true>(MAX_COUNTED_TASKS);
  /** Whether there were so many that some of them are not known any more. */
  #listenedToMore = false;
  #subscription: Promise<Subscription> | undefined;
  /** Called when another node has given up its tasks. */
  onOffer: (() => void) | undefined;

  constructor(options: EventOptions) {
    this.#options = options;
  }

  /** Resolves when changes of other nodes are heard. A failed attempt is repeated the next time. */
  async start(): Promise<void> {
    this.#subscription ??= this.#options.store.listen({
      onChange: (id, state) => this.#changed(id, state),
      onGap: () => void this.#lookAgain(),
      onOffer: () => this.onOffer?.(),
    });
    await this.#subscription.catch(error => {
      this.#subscription = undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    await (await this.#subscription)?.close();
    this.#subscription = undefined;
  }

  /** Calls back for each change of a task, until the returned function is called. */
  watch(id: string, watcher: (state: TaskState) => void): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }

  /** Resolves when a task has changed. Messages can be lost, so it also looks from time to time. */
  next(id: string, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const timer = inBackground(setTimeout(() => end(), LOOK_AGAIN_MS));
      const stop = this.watch(id, () => end());
      const end = () => {
        stop();
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  /** Remembers the session that created a task. */
  belongs(id: string, session: Session): void {
    this.#sessions.set(id, session);
  }

  /** Remembers that a client listens to a task. */
  listened(id: string): void {
    this.#listened.set(id, true);
    this.#listenedToMore ||= this.#listened.isFull;
  }

  #changed(id: string, known: TaskState | undefined): void {
    if (!known) return void this.#look(id);
    this.#tell(known);
    if (hasEnded(known)) this.#listened.delete(id);
  }

  /** Looks at all tasks that somebody here waits for, one after the other: the store has just come back. */
  async #lookAgain(): Promise<void> {
    const ids = new Set([...this.#watchers.keys(), ...this.#listened.keys()]);
    // If the store goes away again, there will be another gap.
    for (const id of ids) if (!(await this.#look(id))) return;
  }

  /** Returns whether the store could be asked. */
  async #look(id: string): Promise<boolean> {
    try {
      const held = await this.#options.store.read(id);
      if (held) this.#tell(held.record.state);
      if (!held || hasEnded(held.record.state)) this.#listened.delete(id);
      return true;
    } catch (error) {
      this.#options.service.report(error, 'a task that changed');
      return false;
    }
  }

  #tell(state: TaskState): void {
    const { id, sequence, owner } = state;
    if (sequence <= (this.#sequences.get(id) ?? 0)) return;
    this.#sequences.set(id, sequence);
    for (const watcher of [...(this.#watchers.get(id) ?? [])]) watcher(state);
    const audience = typeof owner === 'string' ? undefined : owner;
    this.#announceToListeners(state, audience);
    const session = this.#sessions.get(id);
    if (audience) this.#announce('notifications/tasks/status', () => showCoreTask(state), audience);
    // Only the node that created the task knows the session, whose stream may be at another one.
    else if (session)
      this.#options.server.announce('notifications/tasks/status', showCoreTask(state), { session });
    if (hasEnded(state)) this.#sessions.delete(id);
  }

  /** Tells the clients that named the task. Those of other nodes are told there, if the store is shared. */
  #announceToListeners(state: TaskState, audience: Audience | undefined): void {
    const mayListen = this.#listenedToMore || this.#listened.get(state.id) || !this.#options.isShared;
    if (mayListen) this.#announce('notifications/tasks', () => showTask(state), audience);
  }

  /** Tells the clients of this node if the others hear of the change by themselves, otherwise those of all nodes. */
  #announce(method: string, show: () => JsonObject, audience: Audience | undefined): void {
    const { isShared, service, server } = this.#options;
    if (!isShared) return server.announce(method, show(), audience);
    let shown: JsonObject | undefined;
    service.hear({
      kind: 'notice',
      method,
      // Mostly nobody listens.
      get params() {
        shown ??= show();
        return shown;
      },
      audience,
    });
  }
}
