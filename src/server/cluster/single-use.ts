import type { SingleUse } from '../../protocol/single-use.js';
import type { Cluster } from './cluster.js';
import { StoreAway } from './store-away.js';

/**
 * Remembers uses in a cluster, so that they count on every node. `listen` and the others use it by themselves if they have
 * a `cluster`; proofs of DPoP need it as `singleUse`. `name` keeps the uses of several servers apart.
 *
 * @example
 * const dpop = { required: true, singleUse: clusterSingleUse(cluster, 'bistro') };
 */
export function clusterSingleUse(cluster: Cluster, name: string): SingleUse {
  return {
    async redeem(id, expiresAt) {
      try {
        const version = await cluster.write(`${name}:used:${id}`, '1', { was: undefined, expiresAt });
        return version !== undefined;
      } catch (cause) {
        throw new StoreAway(cause);
      }
    },
  };
}
