import { inBackground } from '../../../base/background.js';
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
import { Database, type DatabaseSettings } from './database.js';
import type { PostgresPool } from './pool.js';
import { Publisher } from './publisher.js';
import { PostgresSubscriber } from './subscriber.js';

/** How a cluster on Postgres is made. */
export interface PostgresClusterOptions {
  /** Where Postgres is: `postgres://user:password@host:5432/database`. */
  connectionString?: string | undefined;
  /** A `Pool` of the package `pg`, instead, with a `max` of at least 2: one connection is kept for listening. */
  pool?: PostgresPool | undefined;
  /** The schema of the tables. Servers that share nothing need different ones. Default `tenon`. */
  schema?: string | undefined;
  /** How long a call may take before it fails with `ClusterUnavailable`. Default 2,000. */
  timeoutMs?: number | undefined;
}

const OPTIONS: OptionNames<PostgresClusterOptions> = {
  connectionString: 1,
  pool: 1,
  schema: 1,
  timeoutMs: 1,
};
/** How long Postgres may take to answer, unless `timeoutMs` of `postgresCluster` is set. */
export const POSTGRES_TIMEOUT_MS = 2_000;
/** How often what has expired is removed. */
const SWEEP_MS = 30_000;
/** How long messages are kept for nodes whose connection was lost. */
const KEEP_MESSAGES_MS = 60_000;

/**
 * A cluster that is kept in Postgres, 13 or newer, through the package `pg`. It connects when it is first used, makes its
 * tables in a schema of its own, and connects again by itself.
 *
 * @example
 * const cluster = postgresCluster({ connectionString: 'postgres://tenon:secret@127.0.0.1/tenon' });
 * await listen(server, { keys, cluster });
 */
export function postgresCluster(options: PostgresClusterOptions): Cluster {
  checkOptions(options, OPTIONS, 'postgresCluster()');
  const { connectionString, pool, schema = 'tenon', timeoutMs = POSTGRES_TIMEOUT_MS } = options;
  if ((connectionString === undefined) === (pool === undefined))
    throw new UsageError('postgresCluster() needs a connectionString or a pool, and not both');
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema))
    throw new UsageError(
      'the schema of postgresCluster() must be a name of at most 48 small letters, digits and underscores',
    );
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new UsageError(`timeoutMs of postgresCluster() must be greater than 0, not ${timeoutMs}`);
  return new CheckedCluster(new PostgresCluster({ connectionString, pool, schema, timeoutMs }));
}

class PostgresCluster implements Cluster {
  readonly #database: Database;
  readonly #publisher: Publisher;
  readonly #subscriber: PostgresSubscriber;
  readonly #schema: string;
  #sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(settings: DatabaseSettings) {
    this.#database = new Database(settings);
    this.#publisher = new Publisher(this.#database);
    this.#subscriber = new PostgresSubscriber(this.#database);
    this.#schema = settings.schema;
  }

  publish(topic: string, message: string): Promise<void> {
    this.#startSweeping();
    return this.#publisher.publish(topic, message);
  }

  subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    return this.#subscriber.subscribe(topic, listener);
  }

  async read(key: string): Promise<Stored | undefined> {
    const [row] = await this.#database.run(
      `SELECT value, version FROM ${this.#schema}.stored_values
        WHERE key = $1 AND expires_at > ${this.#schema}.now_ms()`,
      [key],
    );
    return row && { value: row.value as string, version: row.version as string };
  }

  async write(
    key: string,
    value: string,
    { was = null as never, expiresAt, group, publish }: WriteOptions,
  ): Promise<string | undefined> {
    this.#startSweeping();
    const version = crypto.randomUUID();
    const [row] = await this.#database.run(
      `SELECT ${this.#schema}.write_value($1, $2, $3, $4, $5, $6, $7) AS outcome`,
      [key, was, version, value, expiresAt, group?.name, group?.limit],
    );
    if (row?.outcome === 'full' && group) throw new GroupFull(group.name, group.limit);
    if (row?.outcome !== 'written') return undefined;
    if (publish) await this.publish(publish.topic, publish.message).catch(() => {});
    return version;
  }

  async remove(key: string): Promise<void> {
    await this.#database.run(`DELETE FROM ${this.#schema}.stored_values WHERE key = $1`, [key]);
  }

  async list(
    group: string,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<string[]> {
    const living = `${this.#schema}.stored_values
      WHERE group_name = $1 AND expires_at > ${this.#schema}.now_ms()`;
    const rows = await this.#database.run(
      `SELECT key FROM ${living} AND arrival > coalesce((SELECT arrival FROM ${living} AND key = $2), 0)
        ORDER BY arrival LIMIT $3`,
      [group, after, limit],
    );
    return rows.map(({ key }) => key as string);
  }

  async append(name: string, entries: readonly LogEntry[], options: LogOptions): Promise<void> {
    this.#startSweeping();
    const { expiresAt, maxEntries, maxBytes } = options;
    const numbers = entries.map(({ number }) => number);
    const texts = entries.map(({ text }) => text);
    await this.#database.run(`SELECT ${this.#schema}.append_entries($1, $2, $3, $4, $5, $6)`, [
      ...[name, expiresAt, maxEntries, maxBytes],
      ...[numbers, texts],
    ]);
  }

  async readLog(name: string, after: number): Promise<LogEntry[] | undefined> {
    const rows = await this.#database.run(
      `SELECT number, entry FROM ${this.#schema}.logs
        LEFT JOIN ${this.#schema}.log_entries ON log = name AND number > $2
        WHERE name = $1 AND expires_at > ${this.#schema}.now_ms() ORDER BY number`,
      [name, after],
    );
    if (rows.length === 0) return undefined;
    return rows
      .filter(({ number }) => number !== null)
      .map(({ number, entry }) => ({ number: Number(number), text: entry as string }));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#subscriber.close();
    this.#database.close();
  }

  /** Every node that writes removes what has expired; they take turns. */
  #startSweeping(): void {
    this.#sweeping ??= inBackground(
      setInterval(() => {
        const sweep = `SELECT ${this.#schema}.sweep($1)`;
        // What was not removed now is removed the next time.
        this.#database.run(sweep, [KEEP_MESSAGES_MS]).catch(() => {});
      }, SWEEP_MS),
    );
  }
}
