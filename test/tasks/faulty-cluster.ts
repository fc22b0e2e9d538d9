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
      onMessage: message => this.#isCut || listener.onMessage(message),
    });
  }

  async read(key: string): Promise<Stored | undefined> {
    this.#check();
    return this.#cluster.read(key);
  }

  async write(key: string, value: string, options: WriteOptions): Promise<string | undefined> {
    this.#check();
    if (!this.#first.has(key)) this.#first.set(key, { value, options });
    const version = await this.#cluster.write(key, value, options);
    return version;
  }

  async remove(key: string): Promise<void> {
    this.#check();
    await this.#cluster.remove(key);
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
    if (this.#isCut) throw new ClusterUnavailable('the connection is cut');
  }
}
