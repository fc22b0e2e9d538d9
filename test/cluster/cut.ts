import type { Cluster, TopicListener } from '../../src/server/cluster/cluster.js';
import { ClusterUnavailable } from '../../src/server/cluster/failures.js';

/** A connection to the store that a test can cut: nothing passes until it is mended, and what was published is missed. */
export class CutCluster {
  readonly cluster: Cluster;
  readonly #listeners = new Set<TopicListener>();
  /** How often the store was used. */
  uses = 0;
  #isCut = false;

  constructor(own: Cluster) {
    const use = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        if (this.#isCut) throw new ClusterUnavailable('the connection to the store is cut');
        this.uses++;
        return work(...args);
      };
    };
    this.cluster = {
      publish: use(own.publish.bind(own)),
      subscribe: use(async (topic: string, listener: TopicListener) => {
        this.#listeners.add(listener);
        const onMessage = (message: string) => {
          if (!this.#isCut) listener.onMessage(message);
        };
        const subscription = await own.subscribe(topic, { ...listener, onMessage });
        return { close: () => subscription.close() };
      }),
      read: use(own.read.bind(own)),
      write: use(own.write.bind(own)),
      remove: use(own.remove.bind(own)),
      list: use(own.list.bind(own)),
      append: use(own.append.bind(own)),
      readLog: use(own.readLog.bind(own)),
      close: () => own.close(),
    };
  }

  cut(): void {
    this.#isCut = true;
  }

  mend(): void {
    this.#isCut = false;
    for (const listener of this.#listeners) listener.onGap?.();
  }
}
