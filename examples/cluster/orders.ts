import type { Cluster } from 'tenon/cluster';

const KEY = 'orders';
const DAY_MS = 24 * 3_600_000;

/** The orders of all nodes. They stand for your database: what tools change has to be where every node can read it. */
export class Orders {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async list(): Promise<string[]> {
    const stored = await this.#cluster.read(KEY);
    return stored ? JSON.parse(stored.value) : [];
  }

  /** Another node may add an order at the same time: then the write is refused, and tried again. */
  async add(order: string): Promise<void> {
    for (;;) {
      const stored = await this.#cluster.read(KEY);
      const orders = stored ? [...JSON.parse(stored.value), order] : [order];
      const options = { was: stored?.version, expiresAt: Date.now() + DAY_MS };
      if (await this.#cluster.write(KEY, JSON.stringify(orders), options)) return;
    }
  }
}
