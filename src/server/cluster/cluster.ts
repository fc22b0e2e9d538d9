/**
 * What the nodes of a server share: messages between them, values that several of them change, and logs that one writes
 * and others read. `memoryCluster` keeps it in one process, `redisCluster` of `tenon/redis` and `postgresCluster` of
 * `tenon/postgres` in a store. Every method is bounded in time: while the store is away, it rejects with
 * `ClusterUnavailable`, and it works again when the store is back. A write that was rejected so may have been done.
 *
 * The names of topics, keys, groups and logs have 1 to 2,000 bytes. Names and texts have no NUL and no halves of
 * characters, as JSON text has none; others are refused with `UsageError`.
 *
 * @example
 * const cluster: Cluster = memoryCluster();
 * await Promise.all([listen(server, { keys, cluster }), listen(second, { keys, cluster })]);
 */
export interface Cluster {
  /** Whether it never leaves this process, as that of `memoryCluster`. Then other processes share nothing. */
  readonly isInProcess?: boolean | undefined;

  /** Tells every node that listens to a topic, this one included. Resolves when the store has taken the message. */
  publish(topic: string, message: string): Promise<void>;
  /**
   * Hears what is published on a topic after the promise has resolved: each message at least once, those of one node in
   * their order. When the connection to the store was lost, `onGap` tells that messages may be missing.
   */
  subscribe(topic: string, listener: TopicListener): Promise<Subscription>;

  /** The value of a key; undefined if there is none, or it has expired. */
  read(key: string): Promise<Stored | undefined>;
  /**
   * Writes a value if nobody else has changed it: `was` is the version that was read, undefined if there must be no
   * value. Returns the new version; undefined if another write came first.
   */
  write(key: string, value: string, options: WriteOptions): Promise<string | undefined>;
  /** Removes a value. Removing one that is not there does nothing. */
  remove(key: string): Promise<void>;
  /**
   * The keys of a group, oldest first, that have not expired; `after` is the last key of the page before. If that one is
   * gone, the list starts again from its beginning.
   */
  list(group: string, options: { after?: string | undefined; limit: number }): Promise<string[]>;

  /**
   * Appends entries to a log. Their numbers grow: one that is not greater than the last number is in the log already, and
   * is left out, so that an append can be repeated. The oldest go when there is more than the log may have.
   */
  append(log: string, entries: readonly LogEntry[], options: LogOptions): Promise<void>;
  /** The entries of a log after a number; undefined if there is no such log. */
  readLog(log: string, after: number): Promise<LogEntry[] | undefined>;

  /** Ends the connections to the store. */
  close(): Promise<void>;
}

/** Hears the messages of a topic. Its methods must not throw. */
export interface TopicListener {
  onMessage(message: string): void;
  /** Messages may be missing, because the connection to the store was lost and is back. */
  onGap?(): void;
  /** The connection to the store was lost. It is opened again by itself. */
  onAway?(cause: Error): void;
  /** The connection is there again. */
  onBack?(): void;
}

/** Ends a subscription. */
export interface Subscription {
  close(): Promise<void>;
}

/** A value and its version, which is new with every write. */
export interface Stored {
  readonly value: string;
  readonly version: string;
}

/** How a value is written. */
export interface WriteOptions {
  /** The version that was read; undefined if there must be no value. */
  was: string | undefined;
  /** When the value is forgotten, in milliseconds since 1970. */
  expiresAt: number;
  /** The group that a new value belongs to, and how many values that may have: more are refused with `GroupFull`. */
  group?: { name: string; limit: number } | undefined;
  /**
   * A message that is published if the value is written, with the same request to the store where that is possible. If it
   * cannot be published, the value is written all the same.
   */
  publish?: { topic: string; message: string } | undefined;
}

/** One entry of a log. */
export interface LogEntry {
  /** An integer, 0 or greater. */
  readonly number: number;
  readonly text: string;
}

/** How long a log is kept, and how much of it. */
export interface LogOptions {
  /** When the log is forgotten, in milliseconds since 1970. */
  expiresAt: number;
  maxEntries: number;
  /** Of all texts together, as UTF-8. */
  maxBytes: number;
}
