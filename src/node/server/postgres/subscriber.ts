import { inBackground } from '../../../base/background.js';
import type { Subscription, TopicListener } from '../../../server/cluster/cluster.js';
import { inTime, KeptConnection } from '../../../server/cluster/kept-connection.js';
import { Topics } from '../../../server/cluster/topics.js';
import type { Database } from './database.js';
import type { PostgresClient } from './pool.js';
import { channelOf } from './schema.js';

/** How many messages are read at once. */
const MESSAGES_AT_ONCE = 100;

/** Up to where messages were read, and in which store. */
interface Position {
  /** Changes with a store that was made anew, and with each start of Postgres, after which older data may be there. */
  readonly store: string;
  readonly id: number;
}

/**
 * Reads messages from their table on a connection of its own. A notification only tells that there are some, so that none is
 * missed when the connection was lost: they are read when it is back, unless they are older than messages are kept.
 */
export class PostgresSubscriber {
  readonly #database: Database;
  readonly #topics = new Topics();
  readonly #connection: KeptConnection<PostgresClient>;
  #position: Position | undefined;
  #reading: Promise<void> | undefined;
  #isToReadAgain = false;
  #probing: Promise<void> | undefined;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#connection = new KeptConnection<PostgresClient>({
      store: 'Postgres',
      timeoutMs: database.timeoutMs,
      load: () => database.load(),
      open: onLost => this.#open(onLost),
      // A reader that fails drops its connection by itself.
      isAlive: () => true,
      end: client => client.release(true),
      onAway: cause => this.#topics.tellAway(cause),
      onBack: () => this.#topics.tellBack(),
    });
  }

  async subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    const remove = this.#topics.add(topic, listener);
    try {
      this.#probing ??= this.#probe();
      await this.#probing;
    } catch (error) {
      remove();
      throw error;
    }
    this.#startHeartbeat();
    return {
      close: async () => {
        remove();
      },
    };
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#connection.close();
  }

  async #open(onLost: (cause: unknown) => void): Promise<PostgresClient> {
    const client = await this.#database.connect();
    client.on('error', onLost);
    client.on('end', () => onLost(new Error('the connection has ended')));
    client.on('notification', () => this.#readSoon());
    let isReleased = false;
    const release = () => {
      if (!isReleased) client.release(true);
      isReleased = true;
    };
    try {
      await inTime(this.#listen(client), this.#database.timeoutMs, release);
    } catch (error) {
      release();
      throw error;
    }
    this.#readSoon();
    return client;
  }

  /** Reads once, too: a connection that cannot is not open. */
  async #listen(client: PostgresClient): Promise<void> {
    await client.query(`LISTEN ${channelOf(this.#database.schema)}`);
    await this.#findPosition(client);
    await this.#readSome(client);
  }

  /** Shows that the connection is alive. Subscriptions that come at once share it. */
  #probe(): Promise<void> {
    const probe = this.#connection.use(client =>
      this.#inTurn(async () => void (await client.query('SELECT 1'))),
    );
    return probe.finally(() => {
      this.#probing = undefined;
    });
  }

  /** A connection takes one statement at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work, work);
    this.#lastTurn = turn;
    return turn;
  }

  /** In the same store, reading goes on where it was. In another one the messages until now are lost. */
  async #findPosition(client: PostgresClient): Promise<void> {
    const { schema } = this.#database;
    const { rows } = await client.query(
      `SELECT store_id || ' ' || pg_postmaster_start_time() AS store,
        greatest(swept_to, (SELECT max(id) FROM ${schema}.messages)) AS id FROM ${schema}.state`,
    );
    const now = { store: String(rows[0]?.store), id: Number(rows[0]?.id) };
    const before = this.#position;
    if (before?.store === now.store) return;
    this.#position = now;
    if (before) this.#topics.tellGap();
  }

  /** Reads what is new. If it is reading already, it reads once more afterwards. */
  #readSoon(): void {
    this.#isToReadAgain = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  async #read(): Promise<void> {
    while (this.#isToReadAgain) {
      this.#isToReadAgain = false;
      let used: PostgresClient | undefined;
      const readSome = (client: PostgresClient) => {
        used = client;
        return this.#inTurn(() => this.#readSome(client));
      };
      try {
        while (await this.#connection.use(readSome));
      } catch (error) {
        // The next connection reads again.
        if (used) this.#connection.drop(used, error);
      }
    }
  }

  /** Reads the next messages. Returns whether there may be more. */
  async #readSome(client: PostgresClient): Promise<boolean> {
    const { schema } = this.#database;
    const { rows } = await client.query(
      `SELECT swept_to, id, topic, message FROM ${schema}.state LEFT JOIN LATERAL (
        SELECT id, topic, message FROM ${schema}.messages WHERE id > $1 ORDER BY id LIMIT ${MESSAGES_AT_ONCE}
      ) AS next_ones ON true ORDER BY id`,
      [this.#position?.id ?? 0],
    );
    const position = this.#position as Position;
    const sweptTo = Number(rows[0]?.swept_to);
    if (sweptTo > position.id) {
      this.#position = { ...position, id: sweptTo };
      this.#topics.tellGap();
    }
    const messages = rows.filter(({ id }) => id !== null);
    for (const { id, topic, message } of messages) {
      this.#position = { ...position, id: Math.max(this.#position?.id ?? 0, Number(id)) };
      this.#topics.tell(topic as string, message as string);
    }
    return messages.length === MESSAGES_AT_ONCE;
  }

  /** Finds a connection that was cut without a word, and what a notification did not tell of. */
  #startHeartbeat(): void {
    this.#heartbeat ??= inBackground(setInterval(() => this.#readSoon(), this.#database.timeoutMs));
  }
}
