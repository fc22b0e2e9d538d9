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

interface Value extends Stored {
  readonly expiresAt: number;
  readonly group: string | undefined;
}

interface Log {
  entries: LogEntry[];
  bytes: number;
  last: number;
  expiresAt: number;
}

/**
 * A cluster of one process: for tests, and for several servers that run in it.
 *
 * @example
 * const cluster = memoryCluster();
 * await Promise.all([listen(server, { keys, cluster }), listen(second, { keys, cluster })]);
 */
export function memoryCluster(): Cluster {
  return new CheckedCluster(new MemoryCluster());
}

class MemoryCluster implements Cluster {
  readonly isInProcess = true;
  readonly #topics = new Topics();
  readonly #values = new Map<string, Value>();
  /** The keys of each group, oldest first. */
  readonly #groups = new Map<string, Set<string>>();
  readonly #logs = new Map<string, Log>();
  #sweptAt = Date.now();

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
    if (!before && options.group) this.#join(options.group, key);
    const version = crypto.randomUUID();
    this.#values.set(key, { value, version, expiresAt: options.expiresAt, group });
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
    const log = this.#findLog(name) ?? { entries: [], bytes: 0, last: -1, expiresAt: 0 };
    log.expiresAt = options.expiresAt;
    for (const entry of entries) {
      if (entry.number <= log.last) continue;
      log.entries.push({ number: entry.number, text: entry.text });
      log.bytes += byteLength(entry.text);
      log.last = entry.number;
    }
    trim(log, options);
    this.#logs.set(name, log);
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
    const keys = this.#groups.get(name) ?? new Set();
    // Most groups have room, and then those that have expired need not be looked for.
    if (keys.size >= limit && this.#living(name).length >= limit) throw new GroupFull(name, limit);
    this.#groups.set(name, keys.add(key));
  }

  #living(group: string): string[] {
    return [...(this.#groups.get(group) ?? [])].filter(key => this.#find(key));
  }

  #forget(key: string): void {
    const group = this.#values.get(key)?.group;
    this.#values.delete(key);
    if (group === undefined) return;
    const keys = this.#groups.get(group);
    keys?.delete(key);
    if (keys?.size === 0) this.#groups.delete(group);
  }

  #sweep(): void {
    const now = Date.now();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const key of [...this.#values.keys()]) this.#find(key);
    for (const [name, log] of this.#logs) if (log.expiresAt <= now) this.#logs.delete(name);
  }
}

function trim(log: Log, { maxEntries, maxBytes }: LogOptions): void {
  let gone = 0;
  while (gone < log.entries.length && (log.entries.length - gone > maxEntries || log.bytes > maxBytes))
    log.bytes -= byteLength(log.entries[gone++]?.text ?? '');
  log.entries.splice(0, gone);
}
