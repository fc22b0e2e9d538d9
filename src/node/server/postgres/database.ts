import { TenonError, UsageError } from '../../../base/errors.js';
import { defer } from '../../../base/turns.js';
import { ClusterUnavailable, reasonOf } from '../../../server/cluster/failures.js';
import { createPool, type OwnPool, type PostgresClient, type PostgresPool } from './pool.js';
import { migrate } from './schema.js';

/** The pause between two attempts to connect within one call. */
const PAUSE_MS = 50;
/** Codes of errors that a store without our tables gives: it was made anew. */
const NOT_MIGRATED = new Set(['42P01', '42883', '3F000']);

/** Where Postgres is, and how it is used. */
export interface DatabaseSettings {
  readonly connectionString: string | undefined;
  readonly pool: PostgresPool | undefined;
  readonly schema: string;
  readonly timeoutMs: number;
}

/** Runs statements in bounded time. The tables are made before the first one, and again if they are gone. */
export class Database {
  readonly schema: string;
  readonly timeoutMs: number;
  readonly #connectionString: string | undefined;
  readonly #givenPool: PostgresPool | undefined;
  #ownPool: Promise<OwnPool> | undefined;
  #isMigrated = false;
  #isClosed = false;

  constructor({ connectionString, pool, schema, timeoutMs }: DatabaseSettings) {
    this.#connectionString = connectionString;
    this.#givenPool = pool;
    this.schema = schema;
    this.timeoutMs = timeoutMs;
  }

  /** Loads the client library, before the time of a call begins: on a busy machine that takes seconds. */
  async load(): Promise<void> {
    if (!this.#isClosed) await this.#pool();
  }

  /** Runs one statement. */
  async run(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    await this.load();
    const call = new Call(this.timeoutMs);
    const pool = this.#ownPool;
    try {
      return await call.race(this.#run(call, text, values));
    } catch (thrown) {
      // If one connection of a pool does not answer, the others may not either.
      if (call.isLate && pool === this.#ownPool) this.#giveUpPool();
      throw failure(thrown);
    } finally {
      call.end();
    }
  }

  /** Opens a connection for one use that lasts, on which the tables are there. It has to be released. */
  async connect(): Promise<PostgresClient> {
    await this.load();
    const call = new Call(this.timeoutMs);
    try {
      return await call.race(this.#connect(call));
    } catch (thrown) {
      throw thrown instanceof TenonError ? thrown : unreachable(thrown);
    } finally {
      call.end();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#giveUpPool();
  }

  async #run(call: Call, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    try {
      return await this.#runOnce(call, text, values);
    } catch (error) {
      if (!NOT_MIGRATED.has(codeOf(error))) throw error;
      this.#isMigrated = false;
      return this.#runOnce(call, text, values);
    }
  }

  async #runOnce(call: Call, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const client = await this.#connectPatiently(call);
    const { rows } = await call.use(client, async () => {
      await this.#prepare(client);
      return client.query(text, values);
    });
    client.release();
    return rows;
  }

  async #connect(call: Call): Promise<PostgresClient> {
    const client = await this.#connectOnce(call);
    await call.use(client, async () => {
      // A connection is opened anew when the store was away, and may have lost its tables.
      this.#isMigrated = false;
      await this.#prepare(client);
    });
    return client;
  }

  /** A store that starts again refuses connections for a moment. Nothing was sent yet, so it can be tried again. */
  async #connectPatiently(call: Call): Promise<PostgresClient> {
    for (;;) {
      try {
        return await this.#connectOnce(call);
      } catch (error) {
        if (error instanceof TenonError || call.isLate) throw error;
        call.cause = error;
      }
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #connectOnce(call: Call): Promise<PostgresClient> {
    if (this.#isClosed) throw new ClusterUnavailable('the cluster was closed');
    const client = await (await this.#pool()).connect();
    if (!call.isLate) return client;
    client.release();
    throw new Error('the call has ended');
  }

  async #prepare(client: PostgresClient): Promise<void> {
    if (this.#isMigrated) return;
    const { rows } = await client.query("SELECT current_setting('transaction_isolation') AS level");
    if (rows[0]?.level !== 'read committed')
      throw new UsageError(
        `postgresCluster() needs the isolation level "read committed", which is the default of Postgres, not "${rows[0]?.level}"`,
      );
    await migrate(client, this.schema);
    this.#isMigrated = true;
  }

  #pool(): PostgresPool | Promise<PostgresPool> {
    if (this.#givenPool) return this.#givenPool;
    this.#ownPool ??= createPool(this.#connectionString as string, this.timeoutMs);
    return this.#ownPool;
  }

  #giveUpPool(): void {
    const pool = this.#ownPool;
    this.#ownPool = undefined;
    pool?.then(old => old.end()).catch(() => {});
  }
}

/** One call, and the time that it has. */
class Call {
  isLate = false;
  /** Why there was no connection so far. */
  cause: unknown;
  readonly #timeoutMs: number;
  readonly #late: Promise<never>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #giveUp: (() => void) | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#late = new Promise((_, reject) => {
      // After a standstill of this process the answer may be here already, unread: the sockets come first.
      this.#timer = setTimeout(() => defer(() => this.#end(reject)), timeoutMs);
    });
    this.#late.catch(() => {});
  }

  race<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {});
    return Promise.race([work, this.#late]);
  }

  /** Works with a connection. It is given back if Postgres refused the work, and ended if it failed or was too late. */
  async use<T>(client: PostgresClient, work: () => Promise<T>): Promise<T> {
    // An error comes with the statement that failed; without a listener the process would end.
    client.on('error', ignore);
    this.#giveUp = () => client.release(true);
    try {
      const result = await work();
      if (!this.isLate) client.off('error', ignore);
      return result;
    } catch (error) {
      if (!this.isLate) client.release(!isRefusal(error));
      throw error;
    } finally {
      this.#giveUp = undefined;
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #end(reject: (error: ClusterUnavailable) => void): void {
    this.isLate = true;
    const message = `Postgres did not answer within ${this.#timeoutMs} ms`;
    if (this.#giveUp || this.cause === undefined) reject(new ClusterUnavailable(message));
    else reject(unreachable(this.cause));
    this.#giveUp?.();
  }
}

function unreachable(cause: unknown): ClusterUnavailable {
  return new ClusterUnavailable(`Postgres cannot be reached: ${reasonOf(cause)}`, { cause });
}

function failure(thrown: unknown): unknown {
  if (thrown instanceof TenonError) return thrown;
  return new ClusterUnavailable(`Postgres failed: ${reasonOf(thrown)}`, { cause: thrown });
}

/** Whether Postgres refused a statement, so that the connection can still be used. Class 57 ends connections. */
function isRefusal(error: unknown): boolean {
  return (error as { severity?: unknown }).severity === 'ERROR' && !codeOf(error).startsWith('57');
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

function ignore(): void {}
