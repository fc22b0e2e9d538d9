import { Recent } from '../../base/recent.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { Cluster, Subscription } from '../cluster/cluster.js';
import { ClusterUnavailable, GroupFull } from '../cluster/failures.js';
import { MAX_CHANGE_TRIES, MAX_TASK_BYTES } from './limits.js';
import { expiryOf, type Owner, TaskRecord, type TaskState, withEnd } from './record.js';

/** A record and its version in the cluster. */
export interface Held {
  readonly record: TaskRecord;
  readonly version: string;
}

/** A task as it was created. */
export interface Created {
  readonly held: Held;
  /** When that began, by the clock of `performance`. */
  readonly at: number;
  readonly length: number;
}

/** Hears of changes of tasks. */
export interface TaskListener {
  /** `state` is undefined if it was too large for a message. */
  onChange(id: string, state: TaskState | undefined): void;
  /** Messages may be missing. */
  onGap(): void;
  /** A node has given up its tasks. */
  onOffer(): void;
}

export interface StoreOptions {
  /** Whether running tasks are listed, for engines that forget them with their process. */
  readonly hasIndex?: boolean;
  /** Called for each task that is created. */
  readonly onCreate?: () => void;
}

/** The message of a node that has given up its tasks. */
const OFFER = 'offer';
/** States up to this size travel with the message of their change. */
const MAX_MESSAGE_LENGTH = 16 * 1024;
/** How many tasks are remembered from their creation until they run. */
const MAX_REMEMBERED_TASKS = 1000;

/** The tasks of a server in a cluster. This file knows all keys, groups and topics. */
export class TaskStore {
  readonly #cluster: Cluster;
  readonly server: string;
  readonly #hasIndex: boolean;
  readonly #onCreate: (() => void) | undefined;
  /** Saves the worker of this node to read the tasks that were created here. */
  #created = rememberCreated();

  constructor(cluster: Cluster, server: string, options: StoreOptions = {}) {
    this.#cluster = cluster;
    this.server = server;
    this.#hasIndex = options.hasIndex ?? false;
    this.#onCreate = options.onCreate;
  }

  /** Resolves when the task is stored. Throws if its owner has too many tasks. */
  async create(record: TaskRecord, limit: number): Promise<Held> {
    const { state } = record;
    const name = this.#group(state.owner);
    const options = { was: undefined, expiresAt: expiryOf(state), group: { name, limit } };
    const text = textOf(record);
    const at = performance.now();
    const version = await this.#cluster.write(this.#key(state.id), text, options).catch(error => {
      throw error instanceof GroupFull ? tooMany(limit) : error;
    });
    if (version === undefined) throw new Error(`there is a task ${state.id} already`);
    const held = { record, version };
    if (this.#hasIndex) await this.#index(record).catch(error => this.takeBack(held, error));
    this.#onCreate?.();
    const { lease } = record.run;
    // One that runs already is changed by its run before a worker may need it.
    if (!lease || lease.isReserved) this.#created.set(state.id, { held, at, length: text.length });
    return held;
  }

  /** A task that this node has created a moment ago, once, unless it is known to have changed since. */
  takeCreated(id: string): Created | undefined {
    const created = this.#created.get(id);
    this.#created.delete(id);
    return created;
  }

  async read(id: string): Promise<Held | undefined> {
    const stored = await this.#cluster.read(this.#key(id));
    return stored && { record: TaskRecord.parse(stored.value), version: stored.version };
  }

  /**
   * Changes a task by compare-and-set: `alter` gets the current record, perhaps several times, and returns the new one,
   * or undefined to leave it. Returns what is stored afterwards; undefined if there is no such task. `known` saves
   * reading a record that was read or written before.
   */
  async change(
    id: string,
    alter: (record: TaskRecord) => TaskRecord | undefined,
    known?: Held | undefined,
  ): Promise<Held | undefined> {
    let held = known ?? (await this.read(id));
    this.#created.delete(id);
    for (let tries = 0; held && tries < MAX_CHANGE_TRIES; tries++) {
      const altered = alter(held.record);
      if (!altered) return held;
      const { state } = altered;
      const isNews = state.sequence !== held.record.state.sequence;
      const version = await this.#cluster.write(this.#key(id), textOf(altered), {
        was: held.version,
        expiresAt: expiryOf(state),
        publish: isNews ? this.#news(altered) : undefined,
      });
      if (version !== undefined) return { record: altered, version };
      if (tries > 0) await pause(Math.random() * tries);
      held = await this.read(id);
    }
    if (held)
      throw new ClusterUnavailable(
        `other nodes changed the task ${MAX_CHANGE_TRIES} times meanwhile; try again`,
      );
    return undefined;
  }

  /**
   * Takes back a task that could not be queued: its client is refused, and never hears of it. It may have been queued all
   * the same, so that a node may have begun it. Rejects with the reason, or with an error that says so.
   */
  async takeBack({ record, version }: Held, reason: unknown): Promise<never> {
    const { id } = record.state;
    this.#created.delete(id);
    const ended = withEnd(record, { status: 'cancelled' });
    const options = { was: version, expiresAt: expiryOf(ended.state) };
    const written = await this.#cluster.write(this.#key(id), textOf(ended), options).catch(cause => {
      throw mayHaveBegun(cause);
    });
    if (written === undefined) throw mayHaveBegun(reason);
    // Nobody runs it now, also if it cannot be removed.
    await this.remove(id).catch(() => {});
    throw reason;
  }

  async remove(id: string): Promise<void> {
    await this.#cluster.remove(this.#key(id));
    await this.unlist(id);
  }

  /** The tasks of an owner, oldest first. `after` is the last id of the page before. */
  async list(owner: Owner, options: { after?: string | undefined; limit: number }): Promise<TaskState[]> {
    const after = options.after === undefined ? undefined : this.#key(options.after);
    const keys = await this.#cluster.list(this.#group(owner), { after, limit: options.limit });
    const found = await Promise.all(keys.map(key => this.read(key.slice(this.#key('').length))));
    return found.flatMap(held => (held ? [held.record.state] : []));
  }

  /** The ids of tasks that have not ended, if this is kept. */
  async *unfinished(): AsyncIterable<string> {
    if (!this.#hasIndex) return;
    const prefix = this.#indexKey('').length;
    for (let after: string | undefined; ; ) {
      const keys = await this.#cluster.list(this.#indexGroup(), { after, limit: 100 });
      for (const key of keys) yield key.slice(prefix);
      after = keys.at(-1);
      if (keys.length < 100) return;
    }
  }

  /** Called when a task has ended. */
  async unlist(id: string): Promise<void> {
    if (this.#hasIndex) await this.#cluster.remove(this.#indexKey(id));
  }

  listen(listener: TaskListener): Promise<Subscription> {
    return this.#cluster.subscribe(this.#topic(), {
      onMessage: text => {
        if (text === OFFER) return listener.onOffer();
        const state = text.startsWith('{') ? TaskRecord.parseNews(text) : undefined;
        const id = state?.id ?? text;
        this.#created.delete(id);
        listener.onChange(id, state);
      },
      onGap: () => {
        this.#created = rememberCreated();
        listener.onGap();
      },
    });
  }

  /** Tells every node that there are tasks which no node runs. Nodes that miss it find them later. */
  async offer(): Promise<void> {
    await this.#cluster.publish(this.#topic(), OFFER).catch(() => {});
  }

  /** The message that tells every node of a change: the state, or only the id if that is too large. */
  #news({ news, state }: TaskRecord): { topic: string; message: string } {
    return { topic: this.#topic(), message: news.length <= MAX_MESSAGE_LENGTH ? news : state.id };
  }

  async #index({ state }: TaskRecord): Promise<void> {
    await this.#cluster.write(this.#indexKey(state.id), '', {
      was: undefined,
      expiresAt: expiryOf(state),
      group: { name: this.#indexGroup(), limit: Number.MAX_SAFE_INTEGER },
    });
  }

  #key(id: string): string {
    return `${this.server}:task:${id}`;
  }

  #group(owner: Owner): string {
    return `${this.server}:tasks:${typeof owner === 'string' ? owner : `of ${owner.principal}`}`;
  }

  #indexKey(id: string): string {
    return `${this.server}:unfinished-task:${id}`;
  }

  #indexGroup(): string {
    return `${this.server}:unfinished-tasks`;
  }

  #topic(): string {
    return `${this.server}:tasks`;
  }
}

function rememberCreated(): Recent<Created> {
  return new Recent<Created>(MAX_REMEMBERED_TASKS, { max: MAX_TASK_BYTES, of: ({ length }) => length });
}

function textOf(record: TaskRecord): string {
  if (record.ownLength > MAX_TASK_BYTES) throw tooLarge(record.ownLength);
  return record.text;
}

function tooLarge(length: number): McpError {
  return new McpError(
    ERROR.internal,
    `the task has ${length} bytes, more than the limit of ${MAX_TASK_BYTES}; it contains the arguments, the answers ` +
      'of the client and the results of ctx.step: return less from steps, and ask for less',
  );
}

/** The error for a task that may be queued, and could not be taken back. To be busy would mean that nothing was done. */
function mayHaveBegun(cause: unknown): McpError {
  const message =
    'the store went away while the task was created, so that it may run all the same; look before you call again';
  return new McpError(ERROR.internal, message, undefined, { cause });
}

function tooMany(limit: number): McpError {
  return new McpError(
    ERROR.busy,
    `there are ${limit} tasks of this caller already; those that have ended are forgotten when their time is over`,
    { limit },
  );
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
