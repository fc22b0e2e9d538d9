import {
  type Cluster,
  ClusterUnavailable,
  type Stored,
  type TopicListener,
  type WriteOptions,
} from '../../src/server/cluster/index.js';

/** The connection of one node to a cluster, which a test can cut. */
export class FaultyCluster implements Cluster {
  readonly #cluster: Cluster;
  readonly #listeners = new Set<TopicListener>();
  /** The first write of every value. */
  readonly #first = new Map<string, { value: string; options: WriteOptions }>();
  #isCut = false;
  /** Whether messages of other nodes do not arrive, or too late. */
  isDeaf = false;
  /** Holds the node before it changes or removes a value, until the promise is settled. */
  beforeChange: (() => unknown) | undefined;
  /** The same after it has removed a value. */
  afterRemove: (() => unknown) | undefined;
  /** The same after it has written a new value, with the number of values so far. */
  afterCreate: ((values: number) => unknown) | undefined;
  /** How often something was refused while it was cut. */
  refusals = 0;
  /** Whether the answer to a write is lost, which was done. */
  losesAnswer: (key: string) => boolean | Promise<boolean> = () => false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  cut(): void {
    this.#isCut = true;
  }

  mend(): void {
    this.#isCut = false;
    for (const listener of this.#listeners) listener.onGap?.();
  }

  /** Puts the first version of every value back, as a store does that was restored from a copy. */
  async rewind(): Promise<void> {
    for (const [key, { value, options }] of this.#first) {
      await this.#cluster.remove(key);
      await this.#cluster.write(key, value, options);
    }
  }

  /** Removes every value, as a store does that was restarted empty. */
  async clear(): Promise<void> {
    for (const key of this.#first.keys()) await this.#cluster.remove(key);
  }

  async publish(topic: string, message: string): Promise<void> {
    this.#check();
    await this.#cluster.publish(topic, message);
  }

  async subscribe(topic: string, listener: TopicListener) {
    this.#check();
    this.#listeners.add(listener);
    return this.#cluster.subscribe(topic, {
      onMessage: message => this.#isCut || this.isDeaf || listener.onMessage(message),
    });
  }

  async read(key: string): Promise<Stored | undefined> {
    this.#check();
    return this.#cluster.read(key);
  }

  async write(key: string, value: string, options: WriteOptions): Promise<string | undefined> {
    if (options.was !== undefined) await this.beforeChange?.();
    this.#check();
    if (!this.#first.has(key)) this.#first.set(key, { value, options });
    const version = await this.#cluster.write(key, value, options);
    if (options.was === undefined) await this.afterCreate?.(this.#first.size);
    if (await this.losesAnswer(key)) throw new ClusterUnavailable('the answer was lost');
    return version;
  }

  async remove(key: string): Promise<void> {
    await this.beforeChange?.();
    this.#check();
    await this.#cluster.remove(key);
    await this.afterRemove?.();
  }

  async list(...args: Parameters<Cluster['list']>) {
    this.#check();
    return this.#cluster.list(...args);
  }

  async append(...args: Parameters<Cluster['append']>): Promise<void> {
    this.#check();
    await this.#cluster.append(...args);
  }

  async readLog(...args: Parameters<Cluster['readLog']>) {
    this.#check();
    return this.#cluster.readLog(...args);
  }

  async close(): Promise<void> {}

  #check(): void {
    if (!this.#isCut) return;
    this.refusals++;
    throw new ClusterUnavailable('the connection is cut');
  }
}
