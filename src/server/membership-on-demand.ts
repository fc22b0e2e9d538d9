import { OnDemand } from '../base/on-demand.js';
import type { LocalService } from '../protocol/service.js';
import type { Cluster } from './cluster/cluster.js';
import { ON_DEMAND } from './loading.js';
import type { Membership } from './nodes/join.js';

/** Makes a server a node of a cluster, if there is one. The code for that is loaded now. */
export function joinCluster(
  service: LocalService,
  cluster: Cluster | undefined,
): OnDemand<Membership> | undefined {
  if (!cluster) return undefined;
  const membership = new OnDemand(async () => (await ON_DEMAND.get()).join(service, cluster));
  void membership.get();
  return membership;
}
