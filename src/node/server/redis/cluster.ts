import { UsageError } from '../../../base/errors.js';
import { checkOptions, type OptionNames } from '../../../base/options.js';
import { CheckedCluster } from '../../../server/cluster/checked.js';
import type {
  Cluster,
  LogEntry,
  LogOptions,
  Stored,
  Subscription,
  TopicListener,
  WriteOptions,
} from '../../../server/cluster/cluster.js';
import { GroupFull } from '../../../server/cluster/failures.js';
import { KeptConnection } from '../../../server/cluster/kept-connection.js';
import { type ClientSettings, endClient, loadClient, openClient, type RedisClient } from './client.js';
import { Keys } from './keys.js';
import { APPEND, LIST, READ_LOG, REMOVE, runScript, type Script, WRITE } from './scripts.js';
import { RedisSubscriber } from './subscriber.js';

/** How a cluster on Redis is made. */
export interface RedisClusterOptions {
  /** Where Redis is: `redis://user:password@host:6379/0`, or `rediss://` with TLS. */
  url: string;
  /** What the names of all keys start with, in braces. Servers that share nothing need different ones. Default `tenon`. */
  prefix?: string | undefined;
  /** How long a call may take before it fails with `ClusterUnavailable`. Default 2,000. */
  timeoutMs?: number | undefined;
  /** Further options for `createClient` of `@redis/client`, such as `{ socket: { tls: true, ca } }`. */
  client?: Readonly<Record<string, unknown>> | undefined;
}

const OPTIONS: OptionNames<RedisClusterOptions> = { url: 1, prefix: 1, timeoutMs: 1, client: 1 };
/** How long Redis may take to answer, unless `timeoutMs` of `redisCluster` is set. */
export const REDIS_TIMEOUT_MS = 2_000;

/**
 * A cluster that is kept in Redis or Valkey, 6.2 or newer, through the package `@redis/client`. It connects when it is first
 * used, and again by itself. Redis must not evict keys (`maxmemory-policy noeviction`, its default).
 *
 * @example
 * const cluster = redisCluster({ url: 'redis://127.0.0.1:6379' });
 * await listen(server, { keys, cluster });
 */
export function redisCluster(options: RedisClusterOptions): Cluster {
  checkOptions(options, OPTIONS, 'redisCluster()');
  const { url, prefix = 'tenon', timeoutMs = REDIS_TIMEOUT_MS, client = {} } = options;
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url))
    throw new UsageError('the url of redisCluster() must start with redis:// or rediss://');
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new UsageError(`timeoutMs of redisCluster() must be greater than 0, not ${timeoutMs}`);
  return new CheckedCluster(new RedisCluster({ url, timeoutMs, client }, new Keys(prefix)));
}

class RedisCluster implements Cluster {
  readonly #keys: Keys;
  readonly #connection: KeptConnection<RedisClient>;
  readonly #subscriber: RedisSubscriber;

  constructor(settings: ClientSettings, keys: Keys) {
    this.#keys = keys;
    this.#connection = new KeptConnection<RedisClient>({
      store: 'Redis',
      timeoutMs: settings.timeoutMs,
      load: loadClient,
      open: onLost => openClient(settings, onLost),
      isAlive: client => client.isReady,
      end: endClient,
    });
    this.#subscriber = new RedisSubscriber(settings, keys);
  }

  async publish(topic: string, message: string): Promise<void> {
    await this.#connection.use(client => client.sendCommand(['PUBLISH', this.#keys.channel(topic), message]));
  }

  subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    return this.#subscriber.subscribe(topic, listener);
  }

  async read(key: string): Promise<Stored | undefined> {
    const words = ['HMGET', this.#keys.value(key), 'value', 'version'];
    const found = await this.#connection.use(client => client.sendCommand(words));
    const [value, version] = found as [string | null, string | null];
    return value === null || version === null ? undefined : { value, version };
  }

  async write(
    key: string,
    value: string,
    { was = '', expiresAt, group, publish }: WriteOptions,
  ): Promise<string | undefined> {
    const version = crypto.randomUUID();
    const grouping = [group?.name ?? '', `${group?.limit ?? 0}`];
    const publishing = publish ? [this.#keys.channel(publish.topic), publish.message] : [];
    const outcome = await this.#run(
      WRITE,
      [this.#keys.value(key)],
      [this.#keys.start, key, was, version, value, `${expiresAt}`, ...grouping, ...publishing],
    );
    if (outcome === 'full' && group) throw new GroupFull(group.name, group.limit);
    return outcome === version ? version : undefined;
  }

  async remove(key: string): Promise<void> {
    await this.#run(REMOVE, [this.#keys.value(key)], [this.#keys.start, key]);
  }

  async list(
    group: string,
    { after = '', limit }: { after?: string | undefined; limit: number },
  ): Promise<string[]> {
    // A key only names the slot of a Redis Cluster in which the script runs.
    const slot = [this.#keys.value(group)];
    return (await this.#run(LIST, slot, [this.#keys.start, group, `${limit}`, after])) as string[];
  }

  async append(name: string, entries: readonly LogEntry[], options: LogOptions): Promise<void> {
    const { expiresAt, maxEntries, maxBytes } = options;
    const limits = [expiresAt, maxEntries, maxBytes].map(String);
    const words = entries.flatMap(({ number, text }) => [`${number}`, text]);
    await this.#run(APPEND, this.#logKeys(name), [...limits, ...words]);
  }

  async readLog(name: string, after: number): Promise<LogEntry[] | undefined> {
    const start = after < 0 ? '-' : `(${after}-1`;
    const found = (await this.#run(READ_LOG, this.#logKeys(name), [start])) as
      | [id: string, fields: [name: string, text: string]][]
      | null;
    return found?.map(([id, [, text]]) => ({ number: Number.parseInt(id, 10), text }));
  }

  async close(): Promise<void> {
    this.#connection.close();
    this.#subscriber.close();
  }

  #logKeys(name: string): string[] {
    return [this.#keys.log(name), this.#keys.logState(name)];
  }

  #run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#connection.use(client => runScript(client, script, keys, args));
  }
}
