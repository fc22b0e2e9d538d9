import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { PROCESS_TOTAL } from '../held-total.js';
import { CLUSTER_GROUP_SHARE, CLUSTER_LOG_SHARE, CLUSTER_NEW_SHARE, MAX_CLUSTER_BYTES } from '../limits.js';
import { StoreFull } from '../store-full.js';
import { byteLength, CheckedCluster } from './checked.js';
import type {
  Cluster,
  LogEntry,
  LogOptions,
  Stored,
  Subscription,
  TopicListener,
  WriteOptions,
} from './cluster.js';
import { GroupFull } from './failures.js';
import { Topics } from './topics.js';

/** How often what has expired is removed. */
const SWEEP_MS = 60_000;
/** The same while it is full. */
const FULL_SWEEP_MS = 1000;
/** What a value, a log or an entry takes beside its texts, and what a character takes at the most. */
const ENTRY_BYTES = 256;
const CHARACTER_BYTES = 2;

interface Value extends Stored {
  readonly expiresAt: number;
  readonly group: string | undefined;
  readonly size: number;
}

interface Group {
  /** Oldest first. */
  readonly keys: Set<string>;
  size: number;
}

/** Options of `memoryCluster`. */
export interface MemoryClusterOptions {
  /**
   * How much memory it may take: by default as much as the servers of the process may hold for their clients
   * (`maxHeldBytes`), but at least 64 MiB. When it is full, writes fail with `StoreFull`.
   */
  maxBytes?: number | undefined;
}

interface Log {
  entries: LogEntry[];
  bytes: number;
  last: number;
  expiresAt: number;
  size: number;
}

/**
 * A cluster of one process: for tests, and for several servers that run in it.
 *
 * @example
 * const cluster = memoryCluster();
 * await Promise.all([listen(server, { keys, cluster }), listen(second, { keys, cluster })]);
 */
export function memoryCluster(options: MemoryClusterOptions = {}): Cluster {
  checkOptions(options, MEMORY_CLUSTER_OPTIONS, 'memoryCluster');
  const { maxBytes = 1 } = options;
  if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0))
    throw new UsageError(`maxBytes of memoryCluster must be a whole number, 1 or more, but is ${maxBytes}`);
  return new CheckedCluster(new MemoryCluster(options.maxBytes));
}

const MEMORY_CLUSTER_OPTIONS: OptionNames<MemoryClusterOptions> = { maxBytes: 1 };

class MemoryCluster implements Cluster {
  readonly isInProcess = true;
  readonly #limit: number | undefined;
  readonly #topics = new Topics();
  readonly #values = new Map<string, Value>();
  readonly #groups = new Map<string, Group>();
  /** The one that was written to longest ago first. */
  readonly #logs = new Map<string, Log>();
  /** How much memory the values and the logs take. */
  #size = 0;
  #logSize = 0;
  #sweptAt = Date.now();

  constructor(limit: number | undefined) {
    this.#limit = limit;
  }

  get #maxBytes(): number {
    return this.#limit ?? Math.max(MAX_CLUSTER_BYTES, PROCESS_TOTAL.limit);
  }

  async publish(topic: string, message: string): Promise<void> {
    // Later, as with a store: a listener must not run inside of its publisher.
    await undefined;
    this.#topics.tell(topic, message);
  }

  async subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    const remove = this.#topics.add(topic, listener);
    return {
      close: async () => {
        remove();
      },
    };
  }

  async read(key: string): Promise<Stored | undefined> {
    const value = this.#find(key);
    return value && { value: value.value, version: value.version };
  }

  async write(key: string, value: string, options: WriteOptions): Promise<string | undefined> {
    this.#sweep();
    const before = this.#find(key);
    if (before?.version !== options.was) return undefined;
    const group = before ? before.group : options.group?.name;
    const size = sizeOf(key, value);
    if (size > (before?.size ?? 0)) this.#checkRoom(size, before, group);
    if (!before && options.group) this.#join(options.group, key);
    this.#resize(group, size - (before?.size ?? 0));
    const version = crypto.randomUUID();
    this.#values.set(key, { value, version, expiresAt: options.expiresAt, group, size });
    if (options.publish) await this.publish(options.publish.topic, options.publish.message);
    return version;
  }

  async remove(key: string): Promise<void> {
    this.#forget(key);
  }

  async list(
    group: string,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<string[]> {
    const keys = this.#living(group);
    const start = after === undefined ? 0 : keys.indexOf(after) + 1;
    return keys.slice(start, start + limit);
  }

  async append(name: string, entries: readonly LogEntry[], options: LogOptions): Promise<void> {
    this.#sweep();
    const log = this.#findLog(name) ?? { entries: [], bytes: 0, last: -1, expiresAt: 0, size: 0 };
    this.#forgetLog(name);
    log.expiresAt = options.expiresAt;
    for (const entry of entries) {
      if (entry.number <= log.last) continue;
      log.entries.push({ number: entry.number, text: entry.text });
      log.bytes += byteLength(entry.text);
      log.last = entry.number;
    }
    trim(log, options);
    log.size = sizeOf(name, ...log.entries.map(({ text }) => text));
    this.#logs.set(name, log);
    this.#logSize += log.size;
    // Readers can do without a log, so that the oldest ones give way.
    for (const oldest of this.#logs.keys()) {
      if (this.#logSize <= this.#maxBytes * CLUSTER_LOG_SHARE) break;
      this.#forgetLog(oldest);
    }
  }

  async readLog(name: string, after: number): Promise<LogEntry[] | undefined> {
    return this.#findLog(name)?.entries.filter(({ number }) => number > after);
  }

  async close(): Promise<void> {
    // Other nodes may still use it, and it holds nothing but memory.
  }

  #find(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value && value.expiresAt <= Date.now()) {
      this.#forget(key);
      return undefined;
    }
    return value;
  }

  #findLog(name: string): Log | undefined {
    const log = this.#logs.get(name);
    return log && log.expiresAt > Date.now() ? log : undefined;
  }

  #join({ name, limit }: { name: string; limit: number }, key: string): void {
    const isFull = (this.#groups.get(name)?.keys.size ?? 0) >= limit;
    if (isFull && this.#living(name).length >= limit) throw new GroupFull(name, limit);
    const group = this.#groups.get(name) ?? { keys: new Set(), size: 0 };
    group.keys.add(key);
    this.#groups.set(name, group);
  }

  #living(group: string): string[] {
    return [...(this.#groups.get(group)?.keys ?? [])].filter(key => this.#find(key));
  }

  /**
   * Throws if there is no memory for a value. New ones leave a part to those that are there and grow, and no group takes
   * more than its share of it.
   */
  #checkRoom(size: number, before: Value | undefined, group: string | undefined): void {
    const added = size - (before?.size ?? 0);
    const most = this.#maxBytes * (1 - CLUSTER_LOG_SHARE);
    const hasRoom = () => {
      const inGroup = (group !== undefined && this.#groups.get(group)?.size) || 0;
      if (!before && inGroup + added > most * CLUSTER_GROUP_SHARE) return false;
      return this.#size + added <= most * (before ? 1 : CLUSTER_NEW_SHARE);
    };
    if (hasRoom()) return;
    this.#sweep(FULL_SWEEP_MS);
    if (!hasRoom())
      throw new StoreFull(
        `there is no memory for ${size} more bytes: the nodes may keep ${this.#maxBytes} (maxBytes of memoryCluster)`,
      );
  }

  #resize(group: string | undefined, bytes: number): void {
    this.#size += bytes;
    const found = group === undefined ? undefined : this.#groups.get(group);
    if (found) found.size += bytes;
  }

  #forget(key: string): void {
    const value = this.#values.get(key);
    if (!value) return;
    this.#values.delete(key);
    this.#resize(value.group, -value.size);
    if (value.group === undefined) return;
    const group = this.#groups.get(value.group);
    group?.keys.delete(key);
    if (group?.keys.size === 0) this.#groups.delete(value.group);
  }

  #forgetLog(name: string): void {
    this.#logSize -= this.#logs.get(name)?.size ?? 0;
    this.#logs.delete(name);
  }

  #sweep(afterMs = SWEEP_MS): void {
    const now = Date.now();
    if (now - this.#sweptAt < afterMs) return;
    this.#sweptAt = now;
    for (const key of [...this.#values.keys()]) this.#find(key);
    for (const [name, log] of this.#logs) if (log.expiresAt <= now) this.#forgetLog(name);
  }
}

/** About how much memory some texts take. */
function sizeOf(...texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + ENTRY_BYTES + length * CHARACTER_BYTES, 0);
}

function trim(log: Log, { maxEntries, maxBytes }: LogOptions): void {
  let gone = 0;
  while (gone < log.entries.length && (log.entries.length - gone > maxEntries || log.bytes > maxBytes))
    log.bytes -= byteLength(log.entries[gone++]?.text ?? '');
  log.entries.splice(0, gone);
}
